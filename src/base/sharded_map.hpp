// Maps that many threads read and one writes.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace merpati {

/// A map of shards with a lock each, so that look-ups of different keys rarely share a lock.
template <class Key, class Value, class Hash = std::hash<Key>>
class ShardedMap {
public:
    std::optional<Value> find(const Key& key) const {
        const auto& shard = shard_of(key);
        const std::shared_lock lock{shard.mutex};
        const auto found = shard.map.find(key);
        return found == shard.map.end() ? std::nullopt : std::optional{found->second};
    }

    void put(const Key& key, Value value) {
        auto& shard = shard_of(key);
        const std::unique_lock lock{shard.mutex};
        shard.map.insert_or_assign(key, std::move(value));
    }

    void remove(const Key& key) {
        auto& shard = shard_of(key);
        const std::unique_lock lock{shard.mutex};
        shard.map.erase(key);
    }

    template <class Visitor>
    void for_each(Visitor visit) const {
        for (const auto& shard : shards_) {
            const std::shared_lock lock{shard.mutex};
            for (const auto& [key, value] : shard.map) {
                visit(value);
            }
        }
    }

    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (const auto& shard : shards_) {
            const std::shared_lock lock{shard.mutex};
            sum += shard.map.size();
        }
        return sum;
    }

    void clear() {
        for (auto& shard : shards_) {
            const std::unique_lock lock{shard.mutex};
            shard.map.clear();
        }
    }

private:
    static constexpr std::size_t shard_count = 32;

    struct Shard {
        mutable std::shared_mutex mutex;
        std::unordered_map<Key, Value, Hash> map;
    };

    // The map's own buckets use the low bits of the hash; shards use higher ones.
    Shard& shard_of(const Key& key) { return shards_[(Hash{}(key) >> 12) % shard_count]; }
    const Shard& shard_of(const Key& key) const {
        return shards_[(Hash{}(key) >> 12) % shard_count];
    }

    std::array<Shard, shard_count> shards_;
};

}  // namespace merpati
