// A bounded map whose room is shared fairly among accounts, and keys for it.
#pragma once

#include <cstddef>
#include <cstring>
#include <list>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/digest.hpp"
#include "model/ids.hpp"

namespace merpati::media {

/// Operation: entries belong to the account that made them, and only that account finds them. When
/// `entries_max` are held, the account with the most of them gives up its longest unused one, so
/// that an account which names a hundred thousand URLs loses its own entries, not those of others.
///
/// Threads: its owner's. Cost: constant, but for O(log accounts) of `put`.
template <class Key, class Value, class Hash = std::hash<Key>>
class AccountCache {
public:
    explicit AccountCache(std::size_t entries_max) : entries_max_(entries_max) {}

    /// Null: there is none. Valid until the next call of a method that is not const.
    [[nodiscard]] Value* find(model::AccountId account, const Key& key) {
        const auto share = shares_.find(account);
        if (share == shares_.end()) {
            return nullptr;
        }
        auto& [entries, places] = share->second;
        const auto found = places.find(key);
        if (found == places.end()) {
            return nullptr;
        }
        entries.splice(entries.end(), entries, found->second);
        return &found->second->second;
    }

    void put(model::AccountId account, const Key& key, Value value) {
        if (auto* former = find(account, key)) {
            *former = std::move(value);
            return;
        }
        while (size_ >= entries_max_ && size_ > 0) {
            const auto largest = std::prev(sizes_.end())->second;
            remove(largest, shares_.find(largest)->second.entries.begin());
        }
        auto& [entries, places] = shares_[account];
        entries.emplace_back(key, std::move(value));
        places.emplace(key, std::prev(entries.end()));
        ++size_;
        resized(account, entries.size() - 1, entries.size());
    }

    void erase(model::AccountId account, const Key& key) {
        if (find(account, key) != nullptr) {
            remove(account, std::prev(shares_.find(account)->second.entries.end()));
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    using Entries = std::list<std::pair<Key, Value>>;
    struct Share {
        Entries entries;  // The longest unused first.
        std::unordered_map<Key, typename Entries::iterator, Hash> places;
    };

    void remove(model::AccountId account, typename Entries::iterator entry) {
        const auto share = shares_.find(account);
        auto& [entries, places] = share->second;
        places.erase(entry->first);
        entries.erase(entry);
        --size_;
        resized(account, entries.size() + 1, entries.size());
        if (entries.empty()) {
            shares_.erase(share);
        }
    }

    void resized(model::AccountId account, std::size_t from, std::size_t to) {
        sizes_.erase({from, account});
        if (to > 0) {
            sizes_.emplace(to, account);
        }
    }

    const std::size_t entries_max_;
    std::unordered_map<model::AccountId, Share> shares_;
    std::set<std::pair<std::size_t, model::AccountId>> sizes_;  // The fewest entries first.
    std::size_t size_ = 0;
};

/// A digest is random enough, and nobody can choose it.
struct DigestHash {
    std::size_t operator()(const Sha256& digest) const noexcept {
        std::size_t value = 0;
        std::memcpy(&value, digest.data(), sizeof value);
        return value;
    }
};

/// The URL by its SHA-256, so that a long one takes no more memory.
struct UrlKey {
    UrlKey(model::AccountId its_account, std::string_view text)
        : account(its_account), url(sha256(text)) {}

    model::AccountId account;
    Sha256 url;

    friend bool operator==(const UrlKey&, const UrlKey&) = default;
};

struct UrlKeyHash {
    std::size_t operator()(const UrlKey& key) const noexcept {
        return DigestHash{}(key.url) ^ std::hash<model::AccountId>{}(key.account);
    }
};

}  // namespace merpati::media
