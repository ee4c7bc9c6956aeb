#include "daemon/standby.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/errors.hpp"
#include "api/operation.hpp"
#include "daemon/options.hpp"
#include "forwarding/passage_text.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {
namespace {

/// Questions, and calls of which the ledger of Idempotency-Keys knows whether they were answered.
bool is_repeatable(const http::Request& request) {
    using http::Method;
    if (request.method == Method::get || request.method == Method::head ||
        request.method == Method::options) {
        return true;
    }
    return request.header("Idempotency-Key") &&
           std::ranges::any_of(api::operations(), [&](const api::Operation& operation) {
               return operation.idempotent && operation.method == request.method &&
                      http::match_path(operation.path, request.path);
           });
}

http::Options network_options(const config::Settings& settings) {
    auto options = http_options(settings);
    options.local_socket.clear();
    return options;
}

http::Options local_options(const config::Settings& settings) {
    auto options = http_options(settings);
    options.listen.clear();
    options.threads = 1;
    options.tls_certificate.clear();
    options.tls_key.clear();
    return options;
}

forwarding::Owner owner_of(const store::Node& node) {
    return {.node = node.id.node, .generation = node.id.generation, .address = node.entry.address};
}

/// The address by which a process reaches what it listens on itself.
std::string reachable(std::string address) {
    for (const auto& [all, local] :
         {std::pair{std::string_view{"0.0.0.0:"}, std::string_view{"127.0.0.1:"}},
          std::pair{std::string_view{"[::]:"}, std::string_view{"[::1]:"}}}) {
        if (address.starts_with(all)) {
            address.replace(0, all.size(), local);
        }
    }
    return address;
}

}  // namespace

Standby::Standby(const Clock& clock, Random& random, const config::Settings& settings,
                 const telemetry::Log& log, const forwarding::NodeSecret& secret)
    : log_(log.in("standby")),
      secret_(secret),
      forwarder_(clock, api::refusal_body, {}, log.in("standby")),
      sending_(forwarder_, secret_, is_repeatable),
      receiving_(secret_, nullptr, api::refusal_body, settings.http.body_max),
      server_(clock, random, network_options(settings), router_, router_, api::refusal_body,
              log.in("http")),
      local_server_(clock, random, local_options(settings), local_router_, local_router_,
                    api::refusal_body, log.in("http")),
      cluster_server_(clock, random, cluster_http_options(settings), cluster_router_,
                      cluster_router_, forwarding::refusal_to_nodes(api::refusal_body),
                      log.in("http")),
      told_address_(settings.cluster.address.value_or("")) {
    monitoring_.metrics = [this] { return metrics(); };
    monitoring_.metrics_token = settings.metrics.token.value_or("");
    if (settings.metrics.listen) {
        metrics_server_ = std::make_unique<http::Server>(
            clock, random, metrics_http_options(settings), metrics_router_, metrics_router_,
            api::refusal_body, log.in("http"));
    }
    route(settings);
}

void Standby::route(const config::Settings& settings) {
    for (auto* router : {&router_, &local_router_}) {
        add_pages(*router);
        sending_.add_routes(*router);
    }
    add_metrics(settings.metrics.listen ? metrics_router_ : router_);
    add_metrics(local_router_);
    receiving_.add_routes(cluster_router_);
}

void Standby::add_pages(http::Router& router) {
    router.add(http::Method::get, "/healthz",
               [](const http::Request& /*request*/, http::Responder responder) {
                   responder.send(api::Monitoring::liveness());
               });
    router.add(http::Method::get, "/readyz",
               [this](const http::Request& request, http::Responder responder) {
                   sending_.pass_on_at_once(request, std::move(responder));
               });
}

void Standby::add_metrics(http::Router& router) {
    router.add(http::Method::get, "/metrics",
               [this](const http::Request& request, http::Responder responder) {
                   responder.send(monitoring_.may_read_metrics(request)
                                      ? monitoring_.metrics_page()
                                      : api::failure(api::Refusal::key_invalid));
               });
}

/// Of a node that does not work: the rest is the other node's.
std::string Standby::metrics() const {
    const auto figure = [](std::string_view name, std::string_view help, bool counter,
                           std::uint64_t value) {
        return telemetry::Figure{.name = name,
                                 .help = help,
                                 .counter = counter,
                                 .samples = {{.value = static_cast<double>(value)}}};
    };
    return telemetry::render_metrics(
        {figure("merpati_node_accounts", "Accounts that this server works for", false, 0),
         figure("merpati_forwarded_requests_total", "Requests passed on to another server", true,
                passed_total())});
}

Result<void> Standby::start() {
    forwarder_.start();
    for (auto* server : {&server_, &local_server_, &cluster_server_, metrics_server_.get()}) {
        if (auto up = server == nullptr ? Result<void>{} : server->start(); !up) {
            return up;
        }
    }
    if (told_address_.empty()) {
        told_address_ = cluster_server_.addresses().front();
    }
    for (const auto& address : server_.addresses()) {
        log_.info("listening for the node that works", {{"address", address}});
    }
    return {};
}

void Standby::settle(config::Settings& settings) const {
    settings.http.listen = server_.addresses();
    settings.cluster.listen = cluster_server_.addresses().front();
    if (metrics_server_ != nullptr) {
        settings.metrics.listen = metrics_server_->addresses().front();
    }
}

void Standby::note_owner(const std::optional<store::Node>& owner) {
    forwarder_.set_owners(
        forwarding::owner_of_all(owner ? std::optional{owner_of(*owner)} : std::nullopt));
}

bool Standby::is_dead(const store::Node& node) const {
    return forwarder_.is_dead(owner_of(node));
}

void Standby::note_own(const store::NodeGeneration& self) {
    forwarder_.set_owners(forwarding::owner_of_all(
        forwarding::Owner{.node = self.node,
                          .generation = self.generation,
                          .address = reachable(cluster_server_.addresses().front())}));
}

/// The cluster's requests are answered at once, so that hardly one is under way. Clients find
/// nobody only from the last step until the rooms listen.
void Standby::retire() {
    constexpr std::chrono::milliseconds under_way{50};
    retired_ = true;
    local_server_.stop();
    cluster_server_.drain(under_way);
    cluster_server_.stop();
    for (auto* server : {metrics_server_.get(), &server_}) {
        if (server != nullptr) {
            server->drain(std::chrono::milliseconds{0});
        }
    }
}

/// Event streams would never end, and requests that wait would take long.
void Standby::stop() {
    constexpr std::chrono::seconds patience{2};
    server_.drain(retired_ ? std::chrono::seconds{0} : patience);
    forwarder_.stop();
    for (auto* server : {&server_, &local_server_, &cluster_server_, metrics_server_.get()}) {
        if (server != nullptr) {
            server->stop();
        }
    }
}

Result<std::unique_ptr<Standby>> start_standby(const Clock& clock, Random& random,
                                               const config::Settings& settings,
                                               const telemetry::Log& log) {
    if (!settings.cluster.listen) {
        return nullptr;
    }
    auto secret = forwarding::NodeSecret::open(
        settings.cluster.key_file.value_or(settings.store.key_file.value_or("")));
    if (!secret) {
        return pass(secret);
    }
    auto standby = std::make_unique<Standby>(clock, random, settings, log, *secret);
    if (auto started = standby->start(); !started) {
        return pass(started);
    }
    return standby;
}

}  // namespace merpati::daemon
