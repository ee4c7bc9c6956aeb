// The part of this node among those that share a database.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cluster/lease.hpp"
#include "store/nodes.hpp"
#include "telemetry/log.hpp"

namespace merpati::cluster {

/// Operation: `join` registers the node. Each `step` renews its lease when it is time, a third of
/// it after the last renewal, and looks at the others: deposes those that are silent for longer
/// than their lease, or dead, and claims the shards that nobody owns and that `place` gives to this
/// node.
///
/// Clocks: the database's clock says who is silent; the machine's steady clock says when this
/// node's own lease ends. It ends a tenth early, counted from before the renewal was asked for. The
/// machine's time of day does not matter here; that it is wrong is logged.
///
/// Faults: while the database is away nobody is deposed. When it is back all nodes look silent
/// until they have renewed, so a node deposes others only after it was in contact with the database
/// for a whole lease. A node whose lease has ended begins nothing, but owns its shards until it is
/// deposed; if it is not, it goes on once it has renewed. One that was deposed gets `fenced`: what
/// it has in memory is of no use any more, so its process ends, and the next one joins anew.
///
/// Threads: one at a time; `lease`, `owns_all` and `leases_lost` from any.
class Membership {
public:
    struct Options {
        store::NodeEntry entry;
        Millis lease{10'000};
        std::size_t owners_max = 1;  // Nodes that own accounts at once.
        /// Whether the process of a node has ended, for all that this machine can tell. A wrong
        /// answer costs a takeover, and does no harm. Empty: only its silence tells.
        std::function<bool(const store::Node&)> is_dead{};
    };
    Membership(const Clock& clock, store::Nodes& nodes, Options options, telemetry::Log log);

    /// Call once. Errors: those of Nodes::join.
    [[nodiscard]] Result<store::NodeGeneration> join();

    /// Answers after which pause to call it again. Errors: fenced; others are logged, and the step
    /// is repeated.
    [[nodiscard]] Result<Millis> step();

    /// Tells the others that this node will leave soon. It takes nothing more.
    void announce_leave();
    /// Frees its shards. Nothing more may be written.
    void leave();

    [[nodiscard]] const Lease& lease() const noexcept { return lease_; }
    [[nodiscard]] bool owns_all() const noexcept {
        return owned_.load() == static_cast<std::size_t>(store::shard_count);
    }
    /// A node that owns shards, if another does. The thread of `step`.
    [[nodiscard]] const std::optional<store::Node>& other_owner() const noexcept {
        return other_owner_;
    }
    /// By how far the machine's time of day was ahead of the database's, when it was last compared.
    /// The thread of `step`.
    [[nodiscard]] Millis clock_ahead() const noexcept { return clock_ahead_; }
    /// How often the lease ended before it was renewed.
    [[nodiscard]] std::uint64_t leases_lost() const noexcept { return leases_lost_.load(); }

    /// Shards that are free must find an owner soon.
    static constexpr Millis look_every{250};

private:
    [[nodiscard]] Result<void> renew();
    [[nodiscard]] Result<void> look();
    [[nodiscard]] Result<bool> depose_silent(std::vector<store::Node>& nodes);
    [[nodiscard]] Result<void> claim(const std::vector<store::Node>& nodes,
                                     const std::vector<store::ShardOwner>& owners);
    void note_owners(const std::vector<store::Node>& nodes,
                     const std::vector<store::ShardOwner>& owners);
    void note_clock(const std::vector<store::Node>& nodes, Timestamp asked_at);
    void note_lost();
    [[nodiscard]] Result<void> outlast(const Error& error);
    [[nodiscard]] bool may_depose(SteadyTime now) const;

    const Clock& clock_;
    store::Nodes& nodes_;
    const Options options_;
    const telemetry::Log log_;
    Lease lease_;
    store::NodeGeneration self_;
    SteadyTime renew_at_{};
    SteadyTime look_at_{};
    std::optional<SteadyTime> contact_since_;  // Empty: the last call failed.
    SteadyTime renewed_at_{};
    bool lost_noted_ = false;
    std::string logged_trouble_;  // Why the database does not answer; empty: it does.
    Millis clock_ahead_{0};
    bool clock_logged_ = false;
    bool leaves_ = false;
    std::optional<store::Node> other_owner_;
    std::atomic<std::size_t> owned_{0};
    std::atomic<std::uint64_t> leases_lost_{0};
};

}  // namespace merpati::cluster
