#include "daemon/entrances.hpp"

#include "api/errors.hpp"
#include "daemon/options.hpp"
#include "model/connector.hpp"

namespace merpati::daemon {

Entrances::Entrances(const Clock& clock, Random& random, const connector::Connectors& connectors,
                     const config::Settings& settings, const telemetry::Log& log)
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
}

void Entrances::route(const api::Rooms& rooms) {
    using enum api::Scope;
    add_routes(router_, {anyone, account, catalogue}, rooms);
    app_.add_routes(router_);
    add_routes(metrics_server_ ? metrics_router_ : router_, {metrics}, rooms);
    add_routes(local_router_, {anyone, metrics, catalogue, machine}, rooms);
}

Result<void> Entrances::start() {
    for (auto* server : {&server_, metrics_server_.get()}) {
        if (auto up = server == nullptr ? Result<void>{} : server->start(); !up) {
            return up;
        }
    }
    return {};
}

void Entrances::stop() {
    server_.stop();
    if (metrics_server_ != nullptr) {
        metrics_server_->stop();
    }
}

}  // namespace merpati::daemon
