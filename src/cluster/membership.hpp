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
#include "store/shard_set.hpp"
#include "telemetry/log.hpp"

namespace merpati::cluster {

/// Operation: `join` registers the node. Each `step` renews its lease when it is time, a third of
/// it after the last renewal, and looks at the others: deposes those that are silent for longer
/// than their lease, or dead, and claims the shards that nobody owns and that `place` gives to this
/// node. What it owns and `place` gives to another node is its surplus: the owner of this object
/// ends its work for some of it and calls `release`; the other node claims that then. There is no
/// surplus while other nodes have free shards to claim.
///
/// Several nodes own shards at once if each of them has an address, where it takes requests of the
/// others. If one has none, a single node owns everything, and the others wait.
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
        /// Whether the process of a node has ended, for all that this machine can tell. A wrong
        /// answer costs a takeover, and does no harm. Empty: only its silence tells.
        std::function<bool(const store::Node&)> is_dead{};
    };
    Membership(const Clock& clock, store::Nodes& nodes, Options options, telemetry::Log log);

    /// Call once. Errors: those of Nodes::join.
    [[nodiscard]] Result<store::NodeGeneration> join();

    /// Answers after which pause to call it again. `claims` false: it takes no shards yet. Errors:
    /// fenced; others are logged, and the step is repeated.
    [[nodiscard]] Result<Millis> step(bool claims = true);

    /// Gives up shards of its own, for which nothing is written any more. Errors: fenced; those of
    /// Nodes::release: they are its own still.
    [[nodiscard]] Result<void> release(const store::ShardSet& shards);

    /// Tells the others that this node will leave soon. It takes nothing more.
    void announce_leave();
    /// Frees its shards. Nothing more may be written.
    void leave();

    [[nodiscard]] const Lease& lease() const noexcept { return lease_; }
    [[nodiscard]] bool owns_all() const noexcept { return owns_all_.load(); }
    /// How often the lease ended before it was renewed.
    [[nodiscard]] std::uint64_t leases_lost() const noexcept { return leases_lost_.load(); }

    // As of the last step or release, on its thread.
    [[nodiscard]] const store::ShardSet& owned() const noexcept { return owned_; }
    /// Of `owned`: those that another node should have.
    [[nodiscard]] const store::ShardSet& surplus() const noexcept { return surplus_; }
    /// All nodes, and the owners of all shards. `looks` counts how often they were read or changed.
    [[nodiscard]] const std::vector<store::Node>& nodes() const noexcept { return all_; }
    [[nodiscard]] const std::vector<store::ShardOwner>& owners() const noexcept { return owners_; }
    [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }
    /// A node that owns shards, if another does.
    [[nodiscard]] const std::optional<store::Node>& other_owner() const noexcept {
        return other_owner_;
    }
    /// By how far the machine's time of day was ahead of the database's, when it was last compared.
    [[nodiscard]] Millis clock_ahead() const noexcept { return clock_ahead_; }

    /// Shards that are free must find an owner soon.
    static constexpr Millis look_every{250};

private:
    [[nodiscard]] Result<void> renew();
    [[nodiscard]] Result<void> look(bool claims);
    [[nodiscard]] Result<void> depose_silent();
    [[nodiscard]] Result<void> settle(bool claims);
    [[nodiscard]] Result<void> claim(const store::ShardSet& shards, bool all_or_none);
    void note_owners(std::vector<store::ShardOwner> owners);
    void set_owner(const store::ShardSet& shards, std::optional<store::NodeGeneration> owner);
    void note_clock(Timestamp asked_at);
    void note_lost();
    [[nodiscard]] Result<void> outlast(const Error& error);
    [[nodiscard]] bool may_depose(SteadyTime now) const;
    [[nodiscard]] Millis look_pause() const;

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
    bool shares_ = false;  // Several nodes own shards at once.
    std::vector<store::Node> all_;
    std::vector<store::ShardOwner> owners_;
    std::uint64_t looks_ = 0;
    std::optional<store::Node> other_owner_;
    store::ShardSet owned_;
    store::ShardSet surplus_;
    std::atomic<bool> owns_all_{false};
    std::atomic<std::uint64_t> leases_lost_{0};
};

}  // namespace merpati::cluster
