// Which node should own each shard.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "store/nodes.hpp"

namespace merpati::cluster {

/// A node that is alive and does not leave.
struct Member {
    store::NodeGeneration id;
    Timestamp joined_at;
    Millis up_for{0};
};

/// By shard; empty: there is no member.
using Placement = std::array<std::optional<store::NodeGeneration>, store::shard_count>;

/// A node that joins earns no shards before, so that one that comes and goes moves none; unless
/// there is no other.
inline constexpr std::chrono::seconds probation{60};

/// Distributes the shards evenly over at most `owners_max` members: those that own some already,
/// then those that joined first. Whoever owns a shard keeps it up to its part, so that as few as
/// possible move: to a node that joins its own part, and of one that is gone those that it had.
/// Where nobody keeps a shard, rendezvous hashing chooses among those who have room. All nodes that
/// see the same rows come to the same result.
[[nodiscard]] Placement place(std::span<const Member> members,
                              std::span<const store::ShardOwner> owners, std::size_t owners_max);

}  // namespace merpati::cluster
