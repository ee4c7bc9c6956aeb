// Some of the shards.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

#include "store/nodes.hpp"

namespace merpati::store {

/// Threads: none.
class ShardSet {
public:
    ShardSet() = default;
    explicit ShardSet(std::span<const Shard> shards) {
        for (const auto shard : shards) {
            add(shard);
        }
    }
    [[nodiscard]] static ShardSet all() noexcept {
        ShardSet set;
        set.bits_.set();
        return set;
    }

    void add(Shard shard) { bits_.set(static_cast<std::size_t>(shard)); }
    void add(const ShardSet& others) noexcept { bits_ |= others.bits_; }
    void remove(const ShardSet& others) noexcept { bits_ &= ~others.bits_; }

    [[nodiscard]] bool has(Shard shard) const {
        return bits_.test(static_cast<std::size_t>(shard));
    }
    [[nodiscard]] bool has(model::AccountId account) const { return has(shard_of(account)); }
    [[nodiscard]] std::size_t size() const noexcept { return bits_.count(); }
    [[nodiscard]] bool empty() const noexcept { return bits_.none(); }
    [[nodiscard]] bool is_all() const noexcept { return bits_.all(); }

    [[nodiscard]] ShardSet without(const ShardSet& others) const noexcept {
        auto rest = *this;
        rest.remove(others);
        return rest;
    }
    [[nodiscard]] ShardSet common_with(const ShardSet& others) const noexcept {
        auto both = *this;
        both.bits_ &= others.bits_;
        return both;
    }
    /// In their order.
    [[nodiscard]] std::vector<Shard> list() const {
        std::vector<Shard> shards;
        shards.reserve(size());
        for (Shard shard = 0; shard < shard_count; ++shard) {
            if (has(shard)) {
                shards.push_back(shard);
            }
        }
        return shards;
    }

    bool operator==(const ShardSet&) const = default;

private:
    std::bitset<static_cast<std::size_t>(shard_count)> bits_;
};

}  // namespace merpati::store
