#include <array>
#include <utility>

#include "api/device_addnew.hpp"
#include "api/monitoring.hpp"
#include "api/operation.hpp"
#include "api/routes.hpp"
#include "api/send/send.hpp"

namespace merpati::api {
namespace {

using http::Method;

using model::Scope;

/// Whatever http.body_max says: the operator can always be heard.
constexpr std::size_t catalogue_body_max = 64UL * 1024;

constexpr Operation offer(Method method, std::string_view path, std::optional<Scope> needs,
                          Answerer answerer, bool is_long = false) {
    return {.method = method,
            .path = path,
            .scope = api::Scope::catalogue,
            .answerer = answerer,
            .needs = needs,
            .body_max = catalogue_body_max,
            .is_long = is_long};
}

void send(const Rooms& rooms, Call&& call) {
    rooms.send.handle(std::move(call));
}
void add_device(const Rooms& rooms, Call&& call) {
    rooms.device_addnew.handle(std::move(call));
}
http::Reply liveness(const Rooms& /*rooms*/) {
    return Monitoring::liveness();
}
http::Reply readiness(const Rooms& rooms) {
    return rooms.monitoring.readiness();
}
http::Reply description(const Rooms& /*rooms*/) {
    return Monitoring::description();
}
http::Reply metrics(const Rooms& rooms) {
    return rooms.monitoring.metrics_page();
}

constexpr std::array table{
    Operation{.method = Method::post,
              .path = "/v1/send",
              .scope = api::Scope::account,
              .answerer = send,
              .idempotent = true,
              .has_revisions = true},
    Operation{.method = Method::post,
              .path = "/v1/device/addnew",
              .scope = api::Scope::account,
              .answerer = add_device,
              .idempotent = true},
    Operation{.path = "/healthz", .answerer = liveness},
    Operation{.path = "/readyz", .answerer = readiness},
    Operation{.path = "/openapi.yaml", .answerer = description},
    Operation{.path = "/metrics", .scope = api::Scope::metrics, .answerer = metrics},
    offer(Method::get, "/v1/messages", Scope::messages_read, manage::messages::list),
    offer(Method::get, "/v1/messages/export", Scope::messages_read, manage::messages::export_all,
          true),
    offer(Method::get, "/v1/messages/{}", Scope::messages_read, manage::messages::show),
    offer(Method::post, "/v1/messages/{}/cancel", Scope::messages_manage, manage::messages::cancel),
    offer(Method::post, "/v1/messages/{}/fail", Scope::messages_manage, manage::messages::give_up),
    offer(Method::post, "/v1/messages/{}/release", Scope::messages_manage,
          manage::messages::release),
    offer(Method::get, "/v1/callbacks", Scope::messages_read, manage::callbacks::list),
    offer(Method::get, "/v1/callbacks/{}", Scope::messages_read, manage::callbacks::show),
    offer(Method::post, "/v1/callbacks/{}/replay", Scope::callbacks_manage,
          manage::callbacks::replay),
    offer(Method::get, "/v1/devices", Scope::account_read, manage::devices::list),
    offer(Method::post, "/v1/devices", Scope::devices_manage, manage::devices::add),
    offer(Method::get, "/v1/devices/{}", Scope::account_read, manage::devices::show),
    offer(Method::patch, "/v1/devices/{}", Scope::devices_manage, manage::devices::change),
    offer(Method::del, "/v1/devices/{}", Scope::devices_manage, manage::devices::remove),
    offer(Method::post, "/v1/devices/{}/connect", Scope::devices_manage, manage::devices::connect),
    offer(Method::post, "/v1/devices/{}/disconnect", Scope::devices_manage,
          manage::devices::disconnect),
    offer(Method::post, "/v1/devices/{}/pair", Scope::devices_manage, manage::devices::pair),
    offer(Method::get, "/v1/devices/{}/pairing", Scope::devices_manage,
          manage::devices::show_pairing),
    offer(Method::post, "/v1/devices/{}/pairing/answer", Scope::devices_manage,
          manage::devices::answer_pairing),
    offer(Method::get, "/v1/keys", Scope::account_manage, manage::keys::list),
    offer(Method::post, "/v1/keys", Scope::account_manage, manage::keys::create),
    offer(Method::del, "/v1/keys/{}", Scope::account_manage, manage::keys::revoke),
    offer(Method::post, "/v1/keys/{}/rotate", Scope::account_manage, manage::keys::rotate),
    offer(Method::get, "/v1/admin/accounts", Scope::admin, manage::accounts::list),
    offer(Method::post, "/v1/admin/accounts", Scope::admin, manage::accounts::create),
    offer(Method::get, "/v1/admin/accounts/{}", Scope::admin, manage::accounts::show),
    offer(Method::patch, "/v1/admin/accounts/{}", Scope::admin, manage::accounts::change),
    offer(Method::post, "/v1/admin/accounts/{}/topup", Scope::admin, manage::accounts::top_up),
    offer(Method::post, "/v1/admin/accounts/{}/secret", Scope::admin,
          manage::accounts::rotate_secret),
    offer(Method::get, "/v1/admin/status", Scope::admin, manage::gateway::status),
    offer(Method::post, "/v1/admin/backup", Scope::admin, manage::gateway::backup, true),
};

}  // namespace

std::span<const Operation> operations() noexcept {
    return table;
}

}  // namespace merpati::api
