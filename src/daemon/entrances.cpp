#include "daemon/entrances.hpp"

#include "api/errors.hpp"
#include "daemon/options.hpp"
#include "forwarding/passage_text.hpp"
#include "model/connector.hpp"

namespace merpati::daemon {

Entrances::Entrances(const Clock& clock, Random& random, const connector::Connectors& connectors,
                     const forwarding::NodeSecret* secret, const config::Settings& settings,
                     const telemetry::Log& log)
    : cloud_webhook_(
          [&connectors]() -> connector::PlatformWebhook* {
              auto* const cloud = connectors.find(model::cloud_connector);
              return cloud == nullptr ? nullptr : cloud->platform_webhook();
          },
          app_address(settings)),
      server_(clock, random, http_options(settings), router_, local_router_, api::refusal_body,
              log.in("http")) {
    if (settings.metrics.listen) {
        metrics_server_ = std::make_unique<http::Server>(
            clock, random, metrics_http_options(settings), metrics_router_, metrics_router_,
            api::refusal_body, log.in("http"));
    }
    if (secret != nullptr) {
        desk_ = std::make_unique<forwarding::ReceivingDesk>(
            *secret, &passed_router_, api::refusal_body, settings.http.body_max);
        desk_->add_routes(cluster_router_);
        cluster_server_ = std::make_unique<http::Server>(
            clock, random, cluster_http_options(settings), cluster_router_, cluster_router_,
            forwarding::refusal_to_nodes(api::refusal_body), log.in("http"));
    }
}

void Entrances::route(const api::Rooms& rooms) {
    using enum api::Scope;
    add_routes(router_, {anyone, account, catalogue}, rooms);
    app_.add_routes(router_);
    add_routes(passed_router_, {anyone, account, catalogue}, rooms);
    app_.add_routes(passed_router_);
    add_routes(metrics_server_ ? metrics_router_ : router_, {metrics}, rooms);
    add_routes(local_router_, {anyone, metrics, catalogue, machine}, rooms);
}

Result<void> Entrances::start() {
    for (auto* server : {&server_, metrics_server_.get(), cluster_server_.get()}) {
        if (auto up = server == nullptr ? Result<void>{} : server->start(); !up) {
            return up;
        }
    }
    return {};
}

/// Other nodes are told at once to look elsewhere, and their connections closed at the end: what is
/// sent while a connection closes may be lost.
void Entrances::drain(std::chrono::milliseconds patience) {
    if (desk_ != nullptr) {
        desk_->leave();
    }
    server_.drain(patience);
    if (cluster_server_ != nullptr && patience > Millis{0}) {
        cluster_server_->drain(patience);
    }
}

void Entrances::stop() {
    for (auto* server : {&server_, metrics_server_.get(), cluster_server_.get()}) {
        if (server != nullptr) {
            server->stop();
        }
    }
}

}  // namespace merpati::daemon
