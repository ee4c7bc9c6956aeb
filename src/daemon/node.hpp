// This process as one of the nodes that share a store.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/periodic_thread.hpp"
#include "cluster/membership.hpp"
#include "config/settings.hpp"
#include "daemon/gateway.hpp"
#include "store/nodes.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

class Node;
class Standby;

/// Whether this process may begin anything now: it holds its lease. Empty: no other process can
/// share the store (`node` is null).
[[nodiscard]] std::function<bool()> may_begin(const Node* node);

/// Operation: one node at a time owns all accounts and works for them; the others wait in `enter`,
/// and tell their Standby who works. From then on a thread renews the lease. Without a lease no
/// send and no callback is begun. If another node has deposed this one, `on_deposed` is called,
/// which must end a server's process: the database refuses whatever it would write, and the next
/// process knows nothing that is out of date.
///
/// Threads: the owner's; `lease` from any.
class Node {
public:
    /// `standby` null: this node answers nothing while it waits.
    Node(const Clock& clock, store::Nodes& nodes, const config::Settings& settings,
         Standby* standby, telemetry::Log log, std::function<void(const Error&)> on_deposed);
    ~Node() { leave(); }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// Joins, waits until it owns everything, and keeps it. Its process before this one is known to
    /// be dead, since this one has its lock, and is not waited for. Errors: shutting_down (`pause`
    /// said so), conflict (a node of this name is at work), fenced, and those of Nodes::join.
    [[nodiscard]] Result<void> enter(const Pause& pause);

    /// Whether another node worked while this one waited in `enter`.
    [[nodiscard]] bool has_followed() const noexcept { return has_followed_; }

    /// Tells the others that its accounts will be free soon.
    void announce_leave();
    /// Frees its accounts. Nothing more may be written. Idempotent.
    void leave();

    [[nodiscard]] const cluster::Lease& lease() const noexcept { return membership_.lease(); }
    [[nodiscard]] std::uint64_t leases_lost() const noexcept { return membership_.leases_lost(); }

private:
    [[nodiscard]] Result<void> join(const Pause& pause);
    void keep();

    const Clock& clock_;
    store::Nodes& nodes_;
    const std::string name_;
    const Millis lease_length_;
    const std::string life_file_;
    Standby* const standby_;
    const telemetry::Log log_;
    const std::function<void(const Error&)> on_deposed_;
    std::mutex mutex_;  // Of the membership.
    cluster::Membership membership_;
    PeriodicThread thread_;
    std::optional<store::NodeGeneration> self_;  // Empty: it has not joined, or has left.
    bool has_followed_ = false;
};

struct OpenedStore;

/// Waits until no other node works on the store, which it reads anew then. Null: no other process
/// can share the store. The node must outlive neither it nor `standby`. Errors: those of
/// Node::enter.
[[nodiscard]] Result<std::unique_ptr<Node>> enter_as_node(const Clock& clock,
                                                          const config::Settings& settings,
                                                          Standby* standby,
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
