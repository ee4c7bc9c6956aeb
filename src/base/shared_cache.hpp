// A bounded LRU cache that several parties share fairly.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <set>
#include <unordered_map>
#include <utility>

namespace merpati {

/// Operation: an entry belongs to the party that put it, and only that party finds it. At
/// `entries_max`, a new entry replaces the least recently used one of the party with the most
/// entries. So an account that names a hundred thousand URLs loses its own entries, not those of
/// others.
///
/// Threads: none. Cost: constant for `find`; O(log parties) for `put` and `erase`.
template <class Party, class Key, class Value, class Hash = std::hash<Key>>
class SharedCache {
public:
    explicit SharedCache(std::size_t entries_max) : entries_max_(entries_max) {}

    /// Null if there is no such entry. Valid until the next `put` or `erase`.
    [[nodiscard]] Value* find(const Party& party, const Key& key) {
        const auto share = shares_.find(party);
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

    void put(const Party& party, const Key& key, Value value) {
        if (auto* former = find(party, key)) {
            *former = std::move(value);
            return;
        }
        while (size_ >= entries_max_ && size_ > 0) {
            const auto largest = std::prev(sizes_.end())->second;
            remove(largest, shares_.find(largest)->second.entries.begin());
        }
        auto& [entries, places] = shares_[party];
        entries.emplace_back(key, std::move(value));
        places.emplace(key, std::prev(entries.end()));
        ++size_;
        resized(party, entries.size() - 1, entries.size());
    }

    void erase(const Party& party, const Key& key) {
        if (find(party, key) != nullptr) {
            remove(party, std::prev(shares_.find(party)->second.entries.end()));
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    using Entries = std::list<std::pair<Key, Value>>;
    struct Share {
        Entries entries;  // The least recently used first.
        std::unordered_map<Key, typename Entries::iterator, Hash> places;
    };

    void remove(const Party& party, typename Entries::iterator entry) {
        const auto share = shares_.find(party);
        auto& [entries, places] = share->second;
        places.erase(entry->first);
        entries.erase(entry);
        --size_;
        resized(party, entries.size() + 1, entries.size());
        if (entries.empty()) {
            shares_.erase(share);
        }
    }

    void resized(const Party& party, std::size_t from, std::size_t to) {
        sizes_.erase({from, party});
        if (to > 0) {
            sizes_.emplace(to, party);
        }
    }

    const std::size_t entries_max_;
    std::unordered_map<Party, Share> shares_;
    std::set<std::pair<std::size_t, Party>> sizes_;  // The fewest entries first.
    std::size_t size_ = 0;
};

}  // namespace merpati
