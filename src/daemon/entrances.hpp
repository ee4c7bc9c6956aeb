// The servers of the gateway and their routes: the network, the management socket, the metrics.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/cloud_webhook.hpp"
#include "api/routes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "daemon/front.hpp"
#include "http/server.hpp"
#include "telemetry/log.hpp"
#include "web/app.hpp"

namespace merpati::daemon {

/// Metrics have a server of their own only with `metrics.listen`. Where several nodes share the
/// accounts, requests come by way of the Front.
///
/// Threads: the owner's.
class Entrances {
public:
    /// `front`: null if this node is alone.
    Entrances(const Clock& clock, Random& random, const connector::Connectors& connectors,
              Front* front, const config::Settings& settings, const telemetry::Log& log);

    /// Adds the operations; call it once, before `start`. `rooms` must outlive this.
    void route(const api::Rooms& rooms);

    /// Errors: of http::Server.
    [[nodiscard]] Result<void> start();
    /// Refuses new connections, and waits until open requests are answered.
    void drain(std::chrono::milliseconds patience);
    void stop();

    [[nodiscard]] const api::CloudWebhook& cloud_webhook() const noexcept { return cloud_webhook_; }

    /// Of the network, as it listens.
    [[nodiscard]] std::vector<std::string> addresses() const { return server_.addresses(); }
    [[nodiscard]] const http::Server& server() const noexcept { return server_; }

private:
    const Clock& clock_;
    const api::CloudWebhook cloud_webhook_;
    web::App app_{web::assets()};
    http::Router router_;
    http::Router local_router_;
    http::Server server_;
    http::Router metrics_router_;
    std::unique_ptr<http::Server> metrics_server_;
    Front* const front_;
    http::Router passed_router_;  // The handlers of what other nodes pass on.
};

}  // namespace merpati::daemon
