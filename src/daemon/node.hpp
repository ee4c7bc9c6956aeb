// This process as one of the nodes that share a store.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/periodic_thread.hpp"
#include "cluster/membership.hpp"
#include "config/settings.hpp"
#include "daemon/gateway.hpp"
#include "model/leave.hpp"
#include "store/nodes.hpp"
#include "store/shard_set.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

class Node;

/// Whether this process may begin anything now: it holds its lease. Empty: no other process can
/// share the store (`node` is null).
[[nodiscard]] std::function<bool()> may_begin(const Node* node);

/// How a node and those that it shares the store with reach each other.
struct NodeContacts {
    /// Where others reach this node; "": nowhere, so that one node at a time owns everything.
    std::string address{};
    /// See Membership::Options.
    std::function<bool(const store::Node&)> is_dead{};
    /// Called whenever they may have changed: all nodes, and who works for each shard. A shard of
    /// this node's own is somebody's only while this process works for it. On the threads of the
    /// node, one call at a time; must not block, nor call the node.
    std::function<void(const store::NodeGeneration& self, const std::vector<store::Node>&,
                       const std::vector<store::ShardOwner>&)>
        on_owners{};
};

/// Operation: a thread renews the lease and looks at the other nodes. Without a lease no send and
/// no callback is begun. If another node has deposed this one, `on_deposed` is called, which must
/// end a server's process: the database refuses whatever it would write, and the next process knows
/// nothing that is out of date.
///
/// Alone (no address): one node at a time owns all accounts and works for them; the others wait in
/// `enter`.
///
/// Together: any number of nodes own shards at once. `enter` joins. From `begin_moves` on this node
/// claims what is free and its own by `place`, and gives up what another node should have. A second
/// thread attaches and detaches, so that the lease never waits for that. A shard that is claimed is
/// served once it is attached; while the database is away that is tried again every `retry_every`,
/// and the shard stays this node's meanwhile. A shard that another node should have is released
/// once its work is settled here; if that cannot be said to the database, it is tried again. At
/// most `given_at_once` shards are given up together, so that few requests wait for the slowest
/// send.
///
/// Damage: an attach of several shards that fails for another reason is repeated for halves of
/// them, so that all but those that cannot be attached are served. These are logged, named by
/// `trouble`, and tried again after a pause that doubles up to `retry_pause_max`.
///
/// Threads: the owner's; `lease`, `leases_lost` and `trouble` from any.
class Node {
public:
    /// What is done with shards, on the second thread.
    struct Moves {
        /// The process works for the shards after it. An error: it works for none of them.
        std::function<Result<void>(std::span<const store::Shard>)> attach;
        /// Nothing is written for them after it. An error: the process stops.
        std::function<Result<void>(std::span<const store::Shard>, model::Leave)> detach;
    };

    Node(const Clock& clock, store::Nodes& nodes, const config::Settings& settings,
         NodeContacts contacts, telemetry::Log log, std::function<void(const Error&)> on_deposed);
    ~Node() { leave(); }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// Joins; alone, it also waits until the node owns everything. Its process before this one is
    /// known to be dead, since this one has its lock, and is not waited for. Errors: shutting_down
    /// (`pause` said so), busy (a node of this name or address is at work), fenced, and
    /// those of
    /// Nodes::join.
    [[nodiscard]] Result<void> enter(const Pause& pause);

    /// Together: the rooms can attach shards from now on. Waits until what was free is attached,
    /// the first try has failed, or the database does not answer.
    void begin_moves(Moves moves);
    /// No attach or detach begins any more; the one that runs must end soon (AccountKeeper::stop).
    /// Idempotent.
    void end_moves();

    [[nodiscard]] bool is_together() const noexcept { return !contacts_.address.empty(); }
    /// Empty: it has not joined, or has left.
    [[nodiscard]] const std::optional<store::NodeGeneration>& self() const noexcept {
        return self_;
    }
    /// Whether another node worked while this one waited in `enter`.
    [[nodiscard]] bool has_followed() const noexcept { return has_followed_; }

    /// Tells the others that its accounts will be free soon. It claims and gives up nothing more.
    void announce_leave();
    /// Frees its accounts. Nothing more may be written. Idempotent.
    void leave();

    [[nodiscard]] const cluster::Lease& lease() const noexcept { return membership_.lease(); }
    [[nodiscard]] std::uint64_t leases_lost() const noexcept { return membership_.leases_lost(); }
    /// For operators: that nobody works for some accounts. Empty: nothing is amiss.
    [[nodiscard]] std::string trouble() const;

    static constexpr std::chrono::milliseconds retry_every{500};
    static constexpr std::chrono::milliseconds retry_pause_max{60'000};
    static constexpr std::size_t given_at_once = 32;

private:
    [[nodiscard]] Result<void> join(const Pause& pause);
    [[nodiscard]] Result<void> wait_for_all(const Pause& pause);
    void keep();
    void tell_owners();
    void run_moves();
    using Lock = std::unique_lock<std::mutex>;  // Of `mutex_`; not held during moves.
    [[nodiscard]] bool move_once(Lock& lock);
    [[nodiscard]] bool give_up(Lock& lock, const store::ShardSet& shards);
    [[nodiscard]] bool detach(Lock& lock, const store::ShardSet& shards, model::Leave how);
    [[nodiscard]] bool take_up(Lock& lock, const store::ShardSet& shards);
    [[nodiscard]] bool pass_over(Lock& lock, const store::ShardSet& shards, const Error& error);
    void note_failing(store::Shard shard, const Error& error);
    [[nodiscard]] std::optional<SteadyTime> next_retry() const;
    [[nodiscard]] store::ShardSet pausing() const;
    void log_trouble(std::string_view what, const Error& error);

    const Clock& clock_;
    store::Nodes& nodes_;
    const std::string name_;
    const Millis lease_length_;
    const std::string life_file_;
    const NodeContacts contacts_;
    const telemetry::Log log_;
    const std::function<void(const Error&)> on_deposed_;
    std::mutex mutex_;  // Of the membership, and of what follows.
    std::condition_variable changed_;
    cluster::Membership membership_;
    store::ShardSet attached_;  // For which this process works.
    bool moves_begun_ = false;
    bool moves_end_ = false;
    bool first_move_made_ = false;
    std::uint64_t looks_seen_ = 0;  // By the second thread.
    std::string logged_trouble_;    // Why a move was not made; empty: the last one was.
    /// An own shard that could not be attached.
    struct Failing {
        std::string why;
        Millis pause{0};
        SteadyTime again_at{};
    };
    std::map<store::Shard, Failing> failing_;
    std::atomic<std::size_t> failing_count_{0};
    Moves moves_;
    PeriodicThread thread_;
    std::thread mover_;
    std::optional<store::NodeGeneration> self_;
    bool has_followed_ = false;
};

struct OpenedStore;

/// Makes the process a node. Alone, it waits until no other node works on the store, which it reads
/// anew then. Null: no other process can share the store. The node must not outlive it. Errors:
/// those of Node::enter.
[[nodiscard]] Result<std::unique_ptr<Node>> enter_as_node(const Clock& clock,
                                                          const config::Settings& settings,
                                                          NodeContacts contacts,
                                                          const telemetry::Log& log,
                                                          OpenedStore& opened, const Pause& pause);

/// For a command that changes the store of a stopped server, and holds its lock: makes the process
/// this machine's node, which owns all accounts until it is destroyed. So no other node works with
/// what it has read before the change: those that are silent for longer than their lease are
/// deposed, and one that starts meanwhile waits. If the command is killed, that one waits for the
/// end of the lease. One that was frozen for longer writes nothing more (fenced).
/// Errors: busy (a node runs), and those of Nodes.
[[nodiscard]] Result<std::unique_ptr<Node>> enter_for_command(const Clock& clock,
                                                              store::Nodes& nodes,
                                                              const config::Settings& settings);

}  // namespace merpati::daemon
