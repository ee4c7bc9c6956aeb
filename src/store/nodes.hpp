// The nodes that share a database, and the accounts that each of them owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/uuid.hpp"
#include "model/ids.hpp"

namespace merpati::store {

/// A part of all accounts, which one node owns at a time: 0 to shard_count - 1.
using Shard = std::int64_t;
inline constexpr Shard shard_count = 256;

/// As the database computes it.
[[nodiscard]] constexpr Shard shard_of(model::AccountId account) noexcept {
    return account.value & (shard_count - 1);
}

/// One life of a node: each start has a higher generation.
struct NodeGeneration {
    std::int64_t node = 0;
    std::int64_t generation = 0;

    bool operator==(const NodeGeneration&) const = default;
};

/// How a node introduces itself.
struct NodeEntry {
    std::string name;
    std::string address;  // Where other nodes reach it; "": nowhere.
    std::string version;  // Of the program.
};

/// A node as the database knows it. Times are of the database's clock.
struct Node {
    enum class State : std::uint8_t {
        live,
        leaving,  // It hands over what it owns, and takes nothing more.
        gone,     // It has left, or was deposed.
    };

    NodeGeneration id;
    NodeEntry entry;
    State state = State::live;
    Timestamp joined_at;
    Timestamp seen_at;
    Millis silent_for{0};  // Since `seen_at`.
};

struct ShardOwner {
    Shard shard = 0;
    std::optional<NodeGeneration> owner;  // Empty: nobody.
};

/// Operation: a process joins with its name. From then on everything that its store writes is
/// written as this node, and refused (ErrorCode::fenced) once the node was deposed, whatever its
/// clock and network do. A node that joins owns nothing; it claims shards, and releases those that
/// it hands over. Whoever finds a node silent for longer than its lease deposes it, which frees its
/// shards.
///
/// Threads: any.
///
/// Limits: each call has a deadline of some seconds.
///
/// Errors of all: unavailable (the database is away), store_failed. `fenced`: this node was
/// deposed, or has left.
class Nodes {
public:
    virtual ~Nodes() = default;

    /// Begins a new generation. Call once, before the first batch is written. Errors: conflict: a
    /// node of this name, or another one at this address, was seen within `lease`. One that is
    /// known to be dead is deposed first. refused: there are `id_slots` nodes already.
    [[nodiscard]] virtual Result<NodeGeneration> join(const NodeEntry& entry, Millis lease) = 0;

    /// By which this node's new ids differ from those of all others (UuidSource). Ids that a former
    /// node of the slot has made are in the store by now, or never will be: read the highest one
    /// after `join`. Empty: it has not joined.
    [[nodiscard]] virtual std::optional<IdSlot> slot() const { return std::nullopt; }

    /// Says that this node is alive. Errors: fenced.
    [[nodiscard]] virtual Result<void> renew() = 0;

    /// By their names, those that are gone too.
    [[nodiscard]] virtual Result<std::vector<Node>> list() = 0;

    /// Of all shards, in their order.
    [[nodiscard]] virtual Result<std::vector<ShardOwner>> owners() = 0;

    /// Takes those of `shards` that nobody owns, and returns them. Errors: fenced, also if the
    /// store's schema is not this program's any more.
    [[nodiscard]] virtual Result<std::vector<Shard>> claim(std::span<const Shard> shards) = 0;

    /// Gives up those of `shards` that this node owns. Before, everything of their accounts was
    /// written. Errors: fenced.
    [[nodiscard]] virtual Result<void> release(std::span<const Shard> shards) = 0;

    /// Announces that this node is about to leave. It still writes. Errors: fenced.
    [[nodiscard]] virtual Result<void> announce_leave() = 0;

    /// Ends this generation: its shards are free, and nothing more is written as this node. Errors:
    /// fenced.
    [[nodiscard]] virtual Result<void> leave() = 0;

    /// Ends another node's generation, if it was silent for `silent_for`; its shards are free then.
    /// Waits for its commit in progress. False: the node is in another generation, or was heard of
    /// meanwhile. Errors: busy: its commit takes too long; the next call may succeed.
    [[nodiscard]] virtual Result<bool> depose(const NodeGeneration& other, Millis silent_for) = 0;
};

/// How a machine's clock differs from the database's.
struct ClockDifference {
    Millis database_ahead{0};
    Millis within{0};  // The difference is known so exactly, because the question took time.
};

/// Compares the clocks, once a node has joined. Errors: those of Nodes::list.
[[nodiscard]] Result<ClockDifference> compare_clocks(Nodes& nodes, const Clock& machine);

}  // namespace merpati::store
