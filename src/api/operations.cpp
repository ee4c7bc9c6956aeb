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

/// Whatever http.body_max says: the operator can always be heard.
constexpr std::size_t management_body_max = 64UL * 1024;

constexpr Operation managed(Method method, std::string_view path, Answerer answerer,
                            bool is_long = false) {
    return {.method = method,
            .path = path,
            .scope = Scope::management,
            .answerer = answerer,
            .body_max = management_body_max,
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
              .scope = Scope::account,
              .answerer = send,
              .idempotent = true,
              .has_revisions = true},
    Operation{.method = Method::post,
              .path = "/v1/device/addnew",
              .scope = Scope::account,
              .answerer = add_device,
              .idempotent = true},
    Operation{.path = "/healthz", .answerer = liveness},
    Operation{.path = "/readyz", .answerer = readiness},
    Operation{.path = "/openapi.yaml", .answerer = description},
    Operation{.path = "/metrics", .scope = Scope::metrics, .answerer = metrics},
    managed(Method::get, "/manage/v1/accounts", manage::accounts::list),
    managed(Method::post, "/manage/v1/accounts", manage::accounts::create),
    managed(Method::get, "/manage/v1/accounts/{}", manage::accounts::show),
    managed(Method::patch, "/manage/v1/accounts/{}", manage::accounts::change),
    managed(Method::post, "/manage/v1/accounts/{}/topup", manage::accounts::top_up),
    managed(Method::post, "/manage/v1/accounts/{}/secret", manage::accounts::rotate_secret),
    managed(Method::get, "/manage/v1/keys", manage::keys::list),
    managed(Method::post, "/manage/v1/keys", manage::keys::create),
    managed(Method::post, "/manage/v1/keys/{}/revoke", manage::keys::revoke),
    managed(Method::post, "/manage/v1/keys/{}/rotate", manage::keys::rotate),
    managed(Method::get, "/manage/v1/devices", manage::devices::list),
    managed(Method::post, "/manage/v1/devices", manage::devices::add),
    managed(Method::get, "/manage/v1/devices/{}", manage::devices::show),
    managed(Method::patch, "/manage/v1/devices/{}", manage::devices::change),
    managed(Method::post, "/manage/v1/devices/{}/connect", manage::devices::connect),
    managed(Method::post, "/manage/v1/devices/{}/disconnect", manage::devices::disconnect),
    managed(Method::get, "/manage/v1/devices/{}/pairing", manage::devices::show_pairing),
    managed(Method::post, "/manage/v1/devices/{}/pairing", manage::devices::pair),
    managed(Method::post, "/manage/v1/devices/{}/pairing/answer", manage::devices::answer_pairing),
    managed(Method::del, "/manage/v1/devices/{}", manage::devices::remove),
    managed(Method::get, "/manage/v1/messages", manage::messages::list),
    managed(Method::get, "/manage/v1/messages/export", manage::messages::export_all, true),
    managed(Method::get, "/manage/v1/messages/{}", manage::messages::show),
    managed(Method::post, "/manage/v1/messages/{}/cancel", manage::messages::cancel),
    managed(Method::post, "/manage/v1/messages/{}/fail", manage::messages::give_up),
    managed(Method::post, "/manage/v1/messages/{}/release", manage::messages::release),
    managed(Method::get, "/manage/v1/callbacks", manage::callbacks::list),
    managed(Method::get, "/manage/v1/callbacks/{}", manage::callbacks::show),
    managed(Method::post, "/manage/v1/callbacks/{}/replay", manage::callbacks::replay),
    managed(Method::get, "/manage/v1/status", manage::gateway::status),
    managed(Method::post, "/manage/v1/backup", manage::gateway::backup, true),
};

}  // namespace

std::span<const Operation> operations() noexcept {
    return table;
}

}  // namespace merpati::api
