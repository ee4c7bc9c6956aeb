// What waits, by account and then by origin.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace merpati::outbound {

/// Operation: `take` serves accounts in turn (round-robin), and the origins of one account in turn;
/// within an origin first come, first served. So an account with thousands delays another by one.
/// `remove` takes out what no longer waits, by the place that `push` gave.
///
/// Limits: none of its own; see Shares. An account or origin for which nothing waits takes no
/// memory.
template <class T>
class FairQueue {
    struct Origin {
        std::string name;
        std::list<T> items;
    };
    struct Account {
        std::int64_t id;
        std::list<Origin> origins;  // The next one first.
        std::unordered_map<std::string, typename std::list<Origin>::iterator> by_name;
    };

public:
    class Place {
        friend class FairQueue;
        typename std::list<Account>::iterator account;
        typename std::list<Origin>::iterator origin;
        typename std::list<T>::iterator item;
    };

    Place push(std::int64_t account, const std::string& origin, T item) {
        Place place;
        const auto [known, is_new] = by_id_.try_emplace(account);
        if (is_new) {
            known->second = accounts_.insert(accounts_.end(), Account{.id = account});
        }
        place.account = known->second;
        auto& [id, origins, by_name] = *place.account;
        const auto [named, is_first] = by_name.try_emplace(origin);
        if (is_first) {
            named->second = origins.insert(origins.end(), Origin{.name = origin});
        }
        place.origin = named->second;
        auto& items = place.origin->items;
        place.item = items.insert(items.end(), std::move(item));
        return place;
    }

    /// The next one of an account for which `may` holds.
    template <class Predicate>
    std::optional<T> take(Predicate may) {
        for (auto account = accounts_.begin(); account != accounts_.end(); ++account) {
            if (!may(account->id)) {
                continue;
            }
            const auto origin = account->origins.begin();
            const auto item = origin->items.begin();
            T taken = std::move(*item);
            account->origins.splice(account->origins.end(), account->origins, origin);
            accounts_.splice(accounts_.end(), accounts_, account);
            erase(account, origin, item);
            return taken;
        }
        return std::nullopt;
    }

    /// `place` of something that was neither taken nor removed.
    void remove(const Place& place) { erase(place.account, place.origin, place.item); }

    [[nodiscard]] bool empty() const noexcept { return accounts_.empty(); }

private:
    void erase(typename std::list<Account>::iterator account,
               typename std::list<Origin>::iterator origin, typename std::list<T>::iterator item) {
        origin->items.erase(item);
        if (!origin->items.empty()) {
            return;
        }
        account->by_name.erase(origin->name);
        account->origins.erase(origin);
        if (account->origins.empty()) {
            by_id_.erase(account->id);
            accounts_.erase(account);
        }
    }

    std::list<Account> accounts_;  // The next one first.
    std::unordered_map<std::int64_t, typename std::list<Account>::iterator> by_id_;
};

}  // namespace merpati::outbound
