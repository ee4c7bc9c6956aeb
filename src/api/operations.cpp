#include <array>
#include <utility>

#include "api/cloud_webhook.hpp"
#include "api/device_addnew.hpp"
#include "api/events/watch.hpp"
#include "api/monitoring.hpp"
#include "api/operation.hpp"
#include "api/opt_out_page.hpp"
#include "api/reference_pages.hpp"
#include "api/routes.hpp"
#include "api/send/bulk.hpp"
#include "api/send/send.hpp"

namespace merpati::api {
namespace {

using http::Method;

using model::Scope;

/// Enough for the secrets of a device with some ten thousand contacts.
constexpr std::size_t import_body_max = 64UL * 1024 * 1024;

/// Does not depend on http.body_max: a low value there must not lock the operator out.
constexpr std::size_t catalogue_body_max = 64UL * 1024;

/// Of calls by strangers, whose bodies wait for a thread: an address, a password and a code.
constexpr std::size_t sign_in_body_max = 8UL * 1024;

struct NamedResource {
    std::string_view path;
    Resource resource;
};
constexpr std::array resources = {NamedResource{"/v1/messages/{}", Resource::message},
                                  NamedResource{"/v1/campaigns/{}", Resource::campaign},
                                  NamedResource{"/v1/contacts/{}", Resource::recipient},
                                  NamedResource{"/v1/suppressions/{}", Resource::recipient},
                                  NamedResource{"/v1/callbacks/{}", Resource::callback},
                                  NamedResource{"/v1/devices/{}", Resource::device},
                                  NamedResource{"/v1/received/{}", Resource::received_media},
                                  NamedResource{"/v1/keys/{}", Resource::key},
                                  NamedResource{"/v1/account/people/{}", Resource::person},
                                  NamedResource{"/v1/account/invitations/{}", Resource::invitation},
                                  NamedResource{"/v1/session/memberships/{}", Resource::membership},
                                  NamedResource{"/v1/sessions/{}", Resource::session},
                                  NamedResource{"/v1/admin/people/{}", Resource::person},
                                  NamedResource{"/v1/admin/accounts/{}", Resource::account}};

/// Operations on a part of a resource, such as the queue of a device, name the resource.
constexpr Resource named_by(std::string_view path) {
    for (const auto& named : resources) {
        if (path.starts_with(named.path)) {
            return named.resource;
        }
    }
    return Resource::none;
}

constexpr Operation offer(Method method, std::string_view path, std::optional<Scope> needs,
                          Answerer answerer, Pool pool = Pool::brief) {
    return {.method = method,
            .path = path,
            .scope = api::Scope::catalogue,
            .answerer = answerer,
            .resource = named_by(path),
            .needs = needs,
            .body_max = catalogue_body_max,
            .idempotent = method == Method::post,
            .pool = pool};
}

/// With an ETag, whose first part covers these fields of the resource.
constexpr Operation tagged(Operation operation, std::span<const std::string_view> edited) {
    operation.edited = edited;
    return operation;
}

/// With an answer in which this field is shown once.
constexpr Operation showing_once(Operation operation, std::string_view field) {
    operation.shown_once = field;
    return operation;
}

using Names = std::string_view;
constexpr std::array account_fields = {
    Names{"id"},      Names{"name"},          Names{"plan"},     Names{"expires_at"},
    Names{"rate"},    Names{"callback"},      Names{"delivery"}, Names{"devices_max"},
    Names{"country"}, Names{"callback_batch"}};
constexpr std::array device_fields = {
    Names{"number"},       Names{"created_at"}, Names{"connector"},        Names{"account"},
    Names{"webhook"},      Names{"gap_ms"},     Names{"jitter_ms"},        Names{"per_day_max"},
    Names{"warm_up_days"}, Names{"cloud"},      Names{"fallback_template"}};
constexpr std::array webhook_fields = {Names{"number"}, Names{"url"}};
constexpr std::array person_fields = {Names{"id"},           Names{"email"}, Names{"admin"},
                                      Names{"has_password"}, Names{"totp"},  Names{"memberships"}};
constexpr std::array id_alone = {Names{"id"}};
constexpr std::array campaign_fields = {
    Names{"id"},        Names{"account"},     Names{"name"},      Names{"purpose"},
    Names{"message"},   Names{"template"},    Names{"variants"},  Names{"media"},
    Names{"typing"},    Names{"devices"},     Names{"pace"},      Names{"quiet_hours"},
    Names{"timezone"},  Names{"schedule_at"}, Names{"finish_by"}, Names{"exclude"},
    Names{"frequency"}, Names{"stop_rules"},  Names{"optout"},    Names{"consent"},
    Names{"callback"}};
constexpr std::array contact_fields = {Names{"number"}, Names{"account"}, Names{"name"},
                                       Names{"values"}, Names{"tags"},    Names{"consent"}};

constexpr Operation recorded_first(Operation operation) {
    operation.recorded_first = true;
    return operation;
}

constexpr Operation on(Pool pool, Operation operation) {
    operation.pool = pool;
    return operation;
}

/// Takes a body of any size, which is read while it arrives; it takes no Idempotency-Key.
constexpr Operation uploaded(Method method, std::string_view path, Scope needs,
                             manage::UploadHandler* handler) {
    auto operation = recorded_first(offer(method, path, needs, handler, Pool::uploading));
    operation.body_max = 0;
    operation.idempotent = false;
    return operation;
}

/// For the local operator alone: writes a file to any place on the machine.
constexpr Operation of_machine(Operation operation) {
    operation.scope = api::Scope::machine;
    return operation;
}

/// Opens a session: the caller is not signed in yet.
constexpr Operation opens(Operation operation) {
    operation.scope = api::Scope::anyone;
    operation.body_max = sign_in_body_max;
    return operation;
}

/// About the person who calls. Takes no Idempotency-Key, because that would store the answer.
constexpr Operation own(Method method, std::string_view path, manage::Handler* handler) {
    auto operation = offer(method, path, std::nullopt, handler);
    operation.idempotent = false;
    return operation;
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
http::Reply description_in_json(const Rooms& /*rooms*/) {
    return {.static_body = openapi_json()};
}
http::Reply version(const Rooms& rooms) {
    return version_page(rooms.monitoring.version);
}
http::Reply errors(const Rooms& /*rooms*/) {
    return error_page();
}
http::Reply media_types(const Rooms& /*rooms*/) {
    return media_type_page();
}
http::Reply metrics(const Rooms& rooms) {
    return rooms.monitoring.metrics_page();
}

void opt_out(const Rooms& rooms, const http::Request& request, http::Responder responder) {
    rooms.opt_out_page.take(request, std::move(responder));
}

void verify_webhook(const Rooms& rooms, const http::Request& request, http::Responder responder) {
    rooms.cloud_webhook.verify(request, std::move(responder));
}

std::unique_ptr<http::BodyReceiver> take_webhook(const Rooms& rooms, const http::Request& request,
                                                 http::Responder responder) {
    return rooms.cloud_webhook.receive(request, std::move(responder));
}

std::unique_ptr<http::BodyReceiver> take_bulk(const Rooms& rooms, const http::Request& request,
                                              admission::Principal principal,
                                              http::Responder responder) {
    return rooms.bulk.receive(request, std::move(principal), std::move(responder));
}

/// Many messages, each of which is judged like one of revision A.
constexpr Operation bulk(std::string_view path) {
    auto operation = offer(Method::post, path, Scope::send, take_bulk);
    operation.body_max = BulkBody::bytes_max;
    operation.judges_validity = true;
    return operation;
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
    Operation{.path = "/openapi.json", .answerer = description_in_json},
    Operation{.path = "/version", .answerer = version},
    Operation{.path = "/v1/errors", .answerer = errors},
    Operation{.path = "/v1/media-types", .answerer = media_types},
    Operation{.path = "/o/{}", .answerer = opt_out},
    Operation{.method = Method::post,
              .path = "/o/{}",
              .answerer = opt_out,
              .body_max = OptOutPage::body_max},
    Operation{.path = "/v1/platform/cloud", .answerer = verify_webhook},
    Operation{.method = Method::post,
              .path = "/v1/platform/cloud",
              .answerer = take_webhook,
              .body_max = CloudWebhook::body_max},
    Operation{.path = "/metrics", .scope = api::Scope::metrics, .answerer = metrics},
    offer(Method::get, "/v1/messages", Scope::messages_read, manage::messages::list),
    on(Pool::retrying,
       recorded_first(offer(Method::post, "/v1/messages", Scope::send, manage::messages::create))),
    bulk("/v1/messages/bulk"),
    offer(Method::get, "/v1/messages/export", Scope::messages_read, manage::messages::export_all,
          Pool::lengthy),
    tagged(offer(Method::get, "/v1/messages/{}", Scope::messages_read, manage::messages::show),
           id_alone),
    offer(Method::get, "/v1/messages/{}/timeline", Scope::messages_read,
          manage::messages::timeline),
    recorded_first(offer(Method::post, "/v1/messages/{}/cancel", Scope::messages_manage,
                         manage::messages::cancel)),
    recorded_first(offer(Method::post, "/v1/messages/{}/fail", Scope::messages_manage,
                         manage::messages::give_up)),
    offer(Method::post, "/v1/messages/{}/release", Scope::messages_manage,
          manage::messages::release),
    on(Pool::retrying, recorded_first(offer(Method::post, "/v1/messages/{}/retry",
                                            Scope::messages_manage, manage::messages::retry))),
    recorded_first(offer(Method::post, "/v1/messages/{}/send-now", Scope::messages_manage,
                         manage::messages::send_now)),
    offer(Method::get, "/v1/campaigns", Scope::campaigns_read, manage::campaigns::list),
    offer(Method::post, "/v1/campaigns", Scope::campaigns_manage, manage::campaigns::create),
    tagged(offer(Method::get, "/v1/campaigns/{}", Scope::campaigns_read, manage::campaigns::show),
           campaign_fields),
    tagged(offer(Method::patch, "/v1/campaigns/{}", Scope::campaigns_manage,
                 manage::campaigns::change),
           campaign_fields),
    tagged(
        offer(Method::del, "/v1/campaigns/{}", Scope::campaigns_manage, manage::campaigns::remove),
        campaign_fields),
    offer(Method::get, "/v1/campaigns/{}/outcomes", Scope::campaigns_read,
          manage::campaigns::outcomes),
    offer(Method::get, "/v1/campaigns/{}/recipients", Scope::campaigns_read,
          manage::recipients::list),
    uploaded(Method::post, "/v1/campaigns/{}/recipients", Scope::campaigns_manage,
             manage::recipients::add),
    offer(Method::del, "/v1/campaigns/{}/recipients", Scope::campaigns_manage,
          manage::recipients::empty),
    offer(Method::get, "/v1/campaigns/{}/recipients/export", Scope::campaigns_read,
          manage::recipients::export_all, Pool::lengthy),
    on(Pool::asking, offer(Method::post, "/v1/campaigns/{}/preview", Scope::campaigns_read,
                           manage::campaigns::preview)),
    offer(Method::post, "/v1/campaigns/{}/check", Scope::campaigns_read, manage::campaigns::check,
          Pool::lengthy),
    recorded_first(offer(Method::post, "/v1/campaigns/{}/test", Scope::campaigns_manage,
                         manage::campaigns::test, Pool::lengthy)),
    offer(Method::post, "/v1/campaigns/{}/start", Scope::campaigns_manage, manage::campaigns::start,
          Pool::lengthy),
    offer(Method::post, "/v1/campaigns/{}/pause", Scope::campaigns_manage, manage::campaigns::pause,
          Pool::stopping),
    offer(Method::post, "/v1/campaigns/{}/resume", Scope::campaigns_manage,
          manage::campaigns::resume, Pool::lengthy),
    offer(Method::post, "/v1/campaigns/{}/cancel", Scope::campaigns_manage,
          manage::campaigns::cancel, Pool::stopping),
    recorded_first(offer(Method::post, "/v1/campaigns/{}/retry", Scope::campaigns_manage,
                         manage::campaigns::retry, Pool::lengthy)),
    recorded_first(offer(Method::post, "/v1/campaigns/{}/clone", Scope::campaigns_manage,
                         manage::campaigns::clone, Pool::lengthy)),
    offer(Method::get, "/v1/contacts", Scope::campaigns_read, manage::contacts::list),
    uploaded(Method::post, "/v1/contacts/import", Scope::campaigns_manage,
             manage::contacts::import_list),
    offer(Method::get, "/v1/contacts/export", Scope::campaigns_read, manage::contacts::export_all,
          Pool::lengthy),
    tagged(offer(Method::get, "/v1/contacts/{}", Scope::campaigns_read, manage::contacts::show),
           contact_fields),
    tagged(offer(Method::put, "/v1/contacts/{}", Scope::campaigns_manage, manage::contacts::put),
           contact_fields),
    tagged(recorded_first(offer(Method::del, "/v1/contacts/{}", Scope::campaigns_manage,
                                manage::contacts::remove, Pool::lengthy)),
           contact_fields),
    offer(Method::get, "/v1/suppressions", Scope::campaigns_read, manage::suppressions::list),
    uploaded(Method::post, "/v1/suppressions/import", Scope::campaigns_manage,
             manage::suppressions::import_list),
    offer(Method::get, "/v1/suppressions/export", Scope::campaigns_read,
          manage::suppressions::export_all, Pool::lengthy),
    offer(Method::get, "/v1/suppressions/{}", Scope::campaigns_read, manage::suppressions::show),
    offer(Method::put, "/v1/suppressions/{}", Scope::campaigns_manage, manage::suppressions::put),
    offer(Method::del, "/v1/suppressions/{}", Scope::campaigns_manage,
          manage::suppressions::remove),
    Operation{.method = Method::post,
              .path = "/v1/listmonk",
              .scope = api::Scope::catalogue,
              .answerer = manage::messages::send_for_listmonk,
              .needs = Scope::send,
              .takes_basic = true,
              .pool = Pool::uploading},
    offer(Method::get, "/v1/callbacks", Scope::messages_read, manage::callbacks::list),
    offer(Method::get, "/v1/callbacks/hosts", Scope::callbacks_manage, manage::callbacks::hosts),
    recorded_first(offer(Method::post, "/v1/callbacks/replay", Scope::callbacks_manage,
                         manage::callbacks::replay_many, Pool::lengthy)),
    on(Pool::testing, recorded_first(offer(Method::post, "/v1/callbacks/test",
                                           Scope::callbacks_manage, manage::callbacks::test))),
    tagged(offer(Method::get, "/v1/callbacks/{}", Scope::messages_read, manage::callbacks::show),
           id_alone),
    offer(Method::get, "/v1/callbacks/{}/attempts", Scope::messages_read,
          manage::callbacks::attempts),
    offer(Method::post, "/v1/callbacks/{}/replay", Scope::callbacks_manage,
          manage::callbacks::replay),
    offer(Method::get, "/v1/events", Scope::messages_read, watch),
    offer(Method::get, "/v1/connectors", Scope::account_read, manage::connectors::list),
    offer(Method::get, "/v1/devices", Scope::account_read, manage::devices::list),
    on(Pool::asking,
       offer(Method::post, "/v1/devices", Scope::devices_manage, manage::devices::add)),
    tagged(offer(Method::get, "/v1/devices/{}", Scope::account_read, manage::devices::show),
           device_fields),
    tagged(on(Pool::asking, offer(Method::patch, "/v1/devices/{}", Scope::devices_manage,
                                  manage::devices::change)),
           device_fields),
    tagged(offer(Method::del, "/v1/devices/{}", Scope::devices_manage, manage::devices::remove),
           device_fields),
    recorded_first(offer(Method::post, "/v1/devices/{}/connect", Scope::devices_manage,
                         manage::devices::connect)),
    recorded_first(offer(Method::post, "/v1/devices/{}/disconnect", Scope::devices_manage,
                         manage::devices::disconnect)),
    offer(Method::post, "/v1/devices/{}/pause", Scope::devices_manage, manage::device_queue::pause),
    offer(Method::post, "/v1/devices/{}/resume", Scope::devices_manage,
          manage::device_queue::resume),
    offer(Method::get, "/v1/devices/{}/templates", Scope::account_read,
          manage::devices::list_templates),
    offer(Method::get, "/v1/devices/{}/queue", Scope::devices_manage, manage::device_queue::show),
    recorded_first(offer(Method::del, "/v1/devices/{}/queue", Scope::devices_manage,
                         manage::device_queue::clear, Pool::lengthy)),
    Operation{.method = Method::post,
              .path = "/v1/devices/{}/import",
              .scope = api::Scope::machine,
              .answerer = manage::devices::import_secrets,
              .resource = Resource::device,
              .body_max = import_body_max,
              .pool = Pool::lengthy},
    Operation{.method = Method::post,
              .path = "/v1/devices/{}/export",
              .scope = api::Scope::machine,
              .answerer = manage::devices::export_secrets,
              .resource = Resource::device,
              .body_max = catalogue_body_max,
              .pool = Pool::lengthy},
    recorded_first(offer(Method::post, "/v1/devices/{}/pair", Scope::devices_manage,
                         manage::devices::pair, Pool::lengthy)),
    offer(Method::get, "/v1/devices/{}/pairing", Scope::devices_manage,
          manage::devices::show_pairing),
    recorded_first(offer(Method::post, "/v1/devices/{}/pairing/answer", Scope::devices_manage,
                         manage::devices::answer_pairing, Pool::lengthy)),
    tagged(offer(Method::get, "/v1/devices/{}/webhook", Scope::devices_manage,
                 manage::device_webhook::show),
           webhook_fields),
    tagged(offer(Method::put, "/v1/devices/{}/webhook", Scope::devices_manage,
                 manage::device_webhook::put),
           webhook_fields),
    tagged(offer(Method::del, "/v1/devices/{}/webhook", Scope::devices_manage,
                 manage::device_webhook::remove),
           webhook_fields),
    offer(Method::get, "/v1/devices/{}/qr", Scope::devices_manage, manage::devices::show_qr),
    recorded_first(offer(Method::post, "/v1/devices/{}/pairing-code", Scope::devices_manage,
                         manage::devices::pair_by_code)),
    offer(Method::get, "/v1/devices/{}/recipient", Scope::send, manage::devices::check_recipient),
    offer(Method::get, "/v1/received/{}/media", Scope::messages_read, manage::received::media),
    offer(Method::get, "/v1/keys", Scope::account_manage, manage::keys::list),
    showing_once(offer(Method::post, "/v1/keys", Scope::account_manage, manage::keys::create),
                 "key"),
    offer(Method::del, "/v1/keys/{}", Scope::account_manage, manage::keys::revoke),
    showing_once(
        offer(Method::post, "/v1/keys/{}/rotate", Scope::account_manage, manage::keys::rotate),
        "key"),
    tagged(offer(Method::get, "/v1/account", Scope::account_read, manage::accounts::show_own),
           account_fields),
    tagged(offer(Method::patch, "/v1/account", Scope::account_manage, manage::accounts::change_own),
           account_fields),
    showing_once(offer(Method::post, "/v1/account/secret", Scope::account_manage,
                       manage::accounts::rotate_own_secret),
                 "webhook_secret"),
    offer(Method::get, "/v1/account/people", Scope::account_manage,
          manage::people_of_account::list),
    offer(Method::post, "/v1/account/people", Scope::account_manage,
          manage::people_of_account::add),
    offer(Method::patch, "/v1/account/people/{}", Scope::account_manage,
          manage::people_of_account::change),
    offer(Method::del, "/v1/account/people/{}", Scope::account_manage,
          manage::people_of_account::remove),
    offer(Method::get, "/v1/account/invitations", Scope::account_manage, manage::invitations::list),
    showing_once(offer(Method::post, "/v1/account/invitations", Scope::account_manage,
                       manage::invitations::create),
                 "url"),
    offer(Method::del, "/v1/account/invitations/{}", Scope::account_manage,
          manage::invitations::revoke),
    offer(Method::get, "/v1/account/log", Scope::account_manage, manage::log::of_account),
    opens(on(Pool::hashing, own(Method::post, "/v1/session", manage::sessions::sign_in))),
    opens(own(Method::post, "/v1/session/link", manage::sessions::use_link)),
    opens(own(Method::post, "/v1/invitation", manage::invitations::show)),
    opens(
        on(Pool::hashing, own(Method::post, "/v1/invitation/accept", manage::invitations::accept))),
    own(Method::post, "/v1/session/invitation", manage::invitations::accept_signed_in),
    own(Method::del, "/v1/session/memberships/{}", manage::people_of_account::leave),
    own(Method::get, "/v1/session", manage::sessions::show),
    own(Method::del, "/v1/session", manage::sessions::sign_out),
    own(Method::get, "/v1/sessions", manage::sessions::list),
    own(Method::del, "/v1/sessions/{}", manage::sessions::end),
    on(Pool::hashing, own(Method::post, "/v1/session/password", manage::sessions::change_password)),
    on(Pool::hashing, own(Method::post, "/v1/session/totp", manage::sessions::begin_totp)),
    own(Method::post, "/v1/session/totp/confirm", manage::sessions::confirm_totp),
    own(Method::del, "/v1/session/totp", manage::sessions::remove_totp),
    offer(Method::get, "/v1/admin/people", Scope::admin, manage::people_of_server::list,
          Pool::lengthy),
    on(Pool::hashing, showing_once(offer(Method::post, "/v1/admin/people", Scope::admin,
                                         manage::people_of_server::create),
                                   "password")),
    tagged(offer(Method::get, "/v1/admin/people/{}", Scope::admin, manage::people_of_server::show),
           person_fields),
    tagged(on(Pool::hashing, offer(Method::patch, "/v1/admin/people/{}", Scope::admin,
                                   manage::people_of_server::change)),
           person_fields),
    tagged(
        offer(Method::del, "/v1/admin/people/{}", Scope::admin, manage::people_of_server::remove),
        person_fields),
    showing_once(offer(Method::post, "/v1/admin/people/{}/link", Scope::admin,
                       manage::people_of_server::link),
                 "url"),
    offer(Method::get, "/v1/admin/log", Scope::admin, manage::log::of_server),
    offer(Method::get, "/v1/account/credit", Scope::account_read, manage::ledger::list),
    offer(Method::get, "/v1/usage", Scope::account_read, manage::usage::show, Pool::lengthy),
    offer(Method::get, "/v1/admin/accounts", Scope::admin, manage::accounts::list, Pool::lengthy),
    showing_once(offer(Method::post, "/v1/admin/accounts", Scope::admin, manage::accounts::create),
                 "webhook_secret"),
    tagged(offer(Method::get, "/v1/admin/accounts/{}", Scope::admin, manage::accounts::show),
           account_fields),
    tagged(offer(Method::patch, "/v1/admin/accounts/{}", Scope::admin, manage::accounts::change),
           account_fields),
    offer(Method::post, "/v1/admin/accounts/{}/topup", Scope::admin, manage::accounts::top_up),
    showing_once(offer(Method::post, "/v1/admin/accounts/{}/secret", Scope::admin,
                       manage::accounts::rotate_secret),
                 "webhook_secret"),
    offer(Method::get, "/v1/admin/status", Scope::admin, manage::gateway::status, Pool::lengthy),
    offer(Method::get, "/v1/admin/nodes", Scope::admin, manage::gateway::nodes, Pool::lengthy),
    of_machine(recorded_first(offer(Method::post, "/v1/admin/backup", Scope::admin,
                                    manage::gateway::backup, Pool::lengthy))),
};

}  // namespace

Place place_of(const Operation& operation) noexcept {
    const auto path = operation.path;
    if (path.starts_with("/v1/session") || path.starts_with("/v1/invitation")) {
        return Place::people;
    }
    if (operation.is_for_strangers()) {
        return Place::all;
    }
    switch (operation.scope) {
        case api::Scope::anyone:
            return path.starts_with("/o/") ? Place::account : Place::asked;
        case api::Scope::metrics:
            return Place::asked;
        case api::Scope::account:
        case api::Scope::catalogue:
            return Place::account;
        case api::Scope::machine:
            return operation.resource == Resource::none ? Place::asked : Place::account;
    }
    return Place::asked;
}

std::span<const Operation> operations() noexcept {
    return table;
}

}  // namespace merpati::api
