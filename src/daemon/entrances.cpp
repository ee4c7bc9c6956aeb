#include "daemon/entrances.hpp"

#include <algorithm>

#include "api/errors.hpp"
#include "daemon/options.hpp"
#include "model/connector.hpp"

namespace merpati::daemon {

Entrances::Entrances(const Clock& clock, Random& random, const connector::Connectors& connectors,
                     Front* front, const config::Settings& settings, const telemetry::Log& log)
    : clock_(clock),
      cloud_webhook_(
          [&connectors]() -> connector::PlatformWebhook* {
              auto* const cloud = connectors.find(model::cloud_connector);
              return cloud == nullptr ? nullptr : cloud->platform_webhook();
          },
          app_address(settings),
          front == nullptr ? api::CloudWebhook::Moves{}
                           : [front] { return front->settled_moves(); }),
      server_(clock, random, http_options(settings), router_, local_router_, api::refusal_body,
              log.in("http")),
      front_(front) {
    if (settings.metrics.listen) {
        metrics_server_ = std::make_unique<http::Server>(
            clock, random, metrics_http_options(settings), metrics_router_, metrics_router_,
            api::refusal_body, log.in("http"));
    }
}

void Entrances::route(const api::Rooms& rooms) {
    using enum api::Scope;
    if (front_ != nullptr) {
        front_->attend(rooms.ownership, rooms.callers, cloud_webhook_);
        add_routes(passed_router_, {anyone, account, catalogue}, rooms);
        app_.add_routes(passed_router_);
    }
    add_routes(router_, {anyone, account, catalogue}, rooms, front_);
    app_.add_routes(router_);
    add_routes(metrics_server_ ? metrics_router_ : router_, {metrics}, rooms);
    add_routes(local_router_, {anyone, metrics, catalogue, machine}, rooms, front_);
}

Result<void> Entrances::start() {
    if (front_ != nullptr) {
        front_->open(passed_router_);
    }
    for (auto* server : {&server_, metrics_server_.get()}) {
        if (auto up = server == nullptr ? Result<void>{} : server->start(); !up) {
            return up;
        }
    }
    return {};
}

/// Other nodes are told at once to look elsewhere, and their connections closed at the end: what is
/// sent while a connection closes may be lost.
void Entrances::drain(std::chrono::milliseconds patience) {
    if (front_ != nullptr) {
        front_->leave();
    }
    const auto give_up = clock_.steady_now() + patience;
    server_.drain(patience);
    if (front_ != nullptr && patience > Millis{0}) {
        const auto left = std::chrono::ceil<Millis>(give_up - clock_.steady_now());
        front_->drain(std::max(left, Millis{0}));
    }
}

void Entrances::stop() {
    for (auto* server : {&server_, metrics_server_.get()}) {
        if (server != nullptr) {
            server->stop();
        }
    }
    if (front_ != nullptr) {
        front_->stop();
    }
}

}  // namespace merpati::daemon
