// Room that several parties share, and what each of them holds of it.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/shared_limit.hpp"

namespace merpati {

/// A SharedLimit with a list of the parties.
///
/// Threads: any. Limits: one entry for each party that holds something.
template <class Party, class Hash = std::hash<Party>>
class SharedRoom {
public:
    explicit SharedRoom(std::size_t total) : all_(total) {}

    /// What one object holds for a party, until it is destroyed. The room must outlive it.
    ///
    /// Threads: one at a time.
    class Place {
    public:
        Place(SharedRoom& room, const Party& party) : room_(room), party_(party) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { leave(); }

        /// Holds so many more. False: the party gets no more.
        [[nodiscard]] bool take(std::size_t count) {
            const bool taken = room_.acquire(party_, count);
            held_ += taken ? count : 0;
            return taken;
        }
        /// Holds nothing more.
        void leave() {
            if (const auto held = std::exchange(held_, 0); held > 0) {
                room_.release(party_, held);
            }
        }

    private:
        SharedRoom& room_;
        const Party party_;
        std::size_t held_ = 0;
    };

private:
    [[nodiscard]] bool acquire(const Party& party, std::size_t count) {
        const std::lock_guard lock{mutex_};
        const auto found = held_.find(party);
        if (!all_.admits(found == held_.end() ? 0 : found->second, count)) {
            return false;
        }
        if (count > 0) {
            all_.acquire(count);
            held_[party] += count;
        }
        return true;
    }
    void release(const Party& party, std::size_t count) {
        const std::lock_guard lock{mutex_};
        all_.release(count);
        const auto found = held_.find(party);
        found->second -= count;
        if (found->second == 0) {
            held_.erase(found);
        }
    }

    std::mutex mutex_;
    SharedLimit all_;
    std::unordered_map<Party, std::size_t, Hash> held_;
};

}  // namespace merpati
