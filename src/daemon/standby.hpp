// A node that shares a database with others, before it works: it answers by passing requests on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/monitoring.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "forwarding/forwarder.hpp"
#include "forwarding/node_secret.hpp"
#include "forwarding/receiving_desk.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "store/nodes.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: `start` listens on the node's own addresses, and on `cluster.listen`, where it says
/// that it does not work. Requests go to the node that works, or wait until there is one;
/// /healthz and /metrics are this node's. Once this node works, `retire` frees the addresses for
/// its rooms. Requests that came before, and wait, go to the rooms by way of `cluster.listen`.
///
/// Threads: the owner's; `note_owner`, `is_dead` and `passed_total` from any.
class Standby {
public:
    Standby(const Clock& clock, Random& random, const config::Settings& settings,
            const telemetry::Log& log, const forwarding::NodeSecret& secret);
    ~Standby() { stop(); }
    Standby(const Standby&) = delete;
    Standby& operator=(const Standby&) = delete;

    /// Errors: of http::Server.
    [[nodiscard]] Result<void> start();

    /// Puts the addresses on which it listens into the settings, in place of ports that the system
    /// chose.
    void settle(config::Settings& settings) const;
    /// Where other nodes reach this one.
    [[nodiscard]] const std::string& told_address() const noexcept { return told_address_; }

    /// Another node works. Empty: nobody does.
    void note_owner(const std::optional<store::Node>& owner);
    /// See Forwarder::is_dead.
    [[nodiscard]] bool is_dead(const store::Node& node) const;
    /// This node works.
    void note_own(const store::NodeGeneration& self);

    /// Listens no more, but answers what has come.
    void retire();
    /// Waits a moment for requests that are under way, unless the rooms have them. Idempotent.
    void stop();

    [[nodiscard]] const forwarding::NodeSecret& secret() const noexcept { return secret_; }
    [[nodiscard]] std::uint64_t passed_total() const noexcept { return forwarder_.passed_total(); }

private:
    void route(const config::Settings& settings);
    void add_pages(http::Router& router);
    void add_metrics(http::Router& router);
    [[nodiscard]] std::string metrics() const;

    const telemetry::Log log_;
    const forwarding::NodeSecret secret_;
    api::Monitoring monitoring_;
    forwarding::Forwarder forwarder_;
    forwarding::SendingDesk sending_;
    forwarding::ReceivingDesk receiving_;
    http::Router router_;
    http::Router local_router_;
    http::Router metrics_router_;
    http::Router cluster_router_;
    http::Server server_;
    http::Server local_server_;
    http::Server cluster_server_;
    std::unique_ptr<http::Server> metrics_server_;  // Null: metrics.listen is unset.
    std::string told_address_;
    bool retired_ = false;
};

/// Null: cluster.listen is unset. Errors: of NodeSecret::open and of http::Server.
[[nodiscard]] Result<std::unique_ptr<Standby>> start_standby(const Clock& clock, Random& random,
                                                             const config::Settings& settings,
                                                             const telemetry::Log& log);

}  // namespace merpati::daemon
