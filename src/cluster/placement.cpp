#include "cluster/placement.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

namespace merpati::cluster {
namespace {

using store::Shard;

/// A member that may own shards, and what it has of them.
struct Owner {
    Member member;
    std::vector<Shard> shards;
    std::size_t part = 0;  // How many it should have.

    [[nodiscard]] bool has_room() const noexcept { return shards.size() < part; }
};

/// Of rendezvous hashing: the finalizer of splitmix64.
std::uint64_t weight(Shard shard, const Owner& owner) {
    auto bits = static_cast<std::uint64_t>(owner.member.id.node) * 0x9E3779B97F4A7C15ULL +
                static_cast<std::uint64_t>(shard);
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31U);
}

std::vector<Owner> owners_of(std::span<const Member> members,
                             std::span<const store::ShardOwner> owners) {
    std::vector<Owner> all;
    for (const auto& member : members) {
        auto& one = all.emplace_back(Owner{.member = member, .shards = {}});
        for (const auto& [shard, owner] : owners) {
            if (owner == member.id) {
                one.shards.push_back(shard);
            }
        }
    }
    return all;
}

/// Leaves those that may own shards.
void choose(std::vector<Owner>& all, std::size_t owners_max) {
    const auto has_earned = [](const Owner& owner) {
        return !owner.shards.empty() || owner.member.up_for >= probation;
    };
    if (std::ranges::any_of(all, has_earned)) {
        std::erase_if(all, std::not_fn(has_earned));
    }
    std::ranges::sort(all, {}, [](const Owner& owner) {
        return std::tuple{owner.shards.empty(), owner.member.joined_at, owner.member.id.node};
    });
    all.resize(std::min(all.size(), owners_max));
}

/// Sets the parts, which differ by one at most, and takes away what is beyond them.
void cut_to_parts(std::vector<Owner>& all) {
    std::ranges::sort(all, {}, [](const Owner& owner) {
        return std::pair{-std::ssize(owner.shards), owner.member.id.node};
    });
    constexpr auto count = static_cast<std::size_t>(store::shard_count);
    for (std::size_t place = 0; place < all.size(); ++place) {
        auto& owner = all[place];
        owner.part = count / all.size() + (place < count % all.size() ? 1 : 0);
        std::ranges::sort(owner.shards, std::greater{},
                          [&](Shard shard) { return weight(shard, owner); });
        owner.shards.resize(std::min(owner.shards.size(), owner.part));
    }
}

}  // namespace

Placement place(std::span<const Member> members, std::span<const store::ShardOwner> owners,
                std::size_t owners_max) {
    Placement placement;
    auto all = owners_of(members, owners);
    choose(all, owners_max);
    if (all.empty()) {
        return placement;
    }
    cut_to_parts(all);
    for (const auto& owner : all) {
        for (const auto shard : owner.shards) {
            placement.at(static_cast<std::size_t>(shard)) = owner.member.id;
        }
    }
    for (Shard shard = 0; shard < store::shard_count; ++shard) {
        auto& owner_of_shard = placement.at(static_cast<std::size_t>(shard));
        if (owner_of_shard) {
            continue;
        }
        auto& best = *std::ranges::max_element(all, {}, [shard](const Owner& owner) {
            return std::pair{owner.has_room(), weight(shard, owner)};
        });
        best.shards.push_back(shard);
        owner_of_shard = best.member.id;
    }
    return placement;
}

}  // namespace merpati::cluster
