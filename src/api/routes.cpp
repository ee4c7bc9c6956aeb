#include "api/routes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "api/authenticator.hpp"
#include "api/callers.hpp"
#include "api/errors.hpp"
#include "api/manage/engine/service.hpp"
#include "api/monitoring.hpp"

namespace merpati::api {
namespace {

constexpr std::array methods{http::Method::get,   http::Method::post, http::Method::put,
                             http::Method::patch, http::Method::del,  http::Method::options,
                             http::Method::other};  // Handlers of GET answer HEAD, too.

/// The caller of an operation of the catalogue. Empty: the call was refused, and is answered.
std::optional<admission::Principal> admit(const Rooms& rooms, const Operation& operation,
                                          const http::Request& request,
                                          http::Responder& responder) {
    auto admitted = rooms.callers.admit(request, operation);
    if (!admitted) {
        responder.send(reply_of(std::move(admitted.error()), request));
        return std::nullopt;
    }
    return *std::move(admitted);
}

/// Makes the router's handler for an operation.
struct HandlerMaker {
    const Operation& operation;
    Rooms rooms;

    http::Handler operator()(Page* page) const {
        return [rooms = rooms, page, scope = operation.scope](const http::Request& request,
                                                              http::Responder responder) {
            if (scope == Scope::metrics) {
                if (!rooms.monitoring.may_read_metrics(request)) {
                    responder.send(failure(Refusal::key_invalid));
                    return;
                }
                request.vouch(http::Party::monitoring());
            }
            responder.send(page(rooms));
        };
    }

    http::Handler operator()(AccountHandler* handle) const {
        return [rooms = rooms, handle, &operation = operation](const http::Request& request,
                                                               http::Responder responder) {
            rooms.authenticator.authenticate(
                request, std::move(responder), operation,
                [&rooms, handle](Call&& call) { handle(rooms, std::move(call)); });
        };
    }

    http::Handler operator()(PrincipalHandler* handle) const {
        return [rooms = rooms, handle, &operation = operation](const http::Request& request,
                                                               http::Responder responder) {
            if (auto principal = admit(rooms, operation, request, responder)) {
                handle(rooms, request, *std::move(principal), std::move(responder));
            }
        };
    }

    http::Handler operator()(StrangerHandler* handle) const {
        return [rooms = rooms, handle](const http::Request& request, http::Responder responder) {
            handle(rooms, request, std::move(responder));
        };
    }

    http::Handler operator()(manage::Handler* /*handler*/) const { return managed(); }
    http::Handler operator()(manage::StreamHandler* /*handler*/) const { return managed(); }
    http::Handler operator()(manage::LateHandler* /*handler*/) const { return managed(); }
    /// See `upload`.
    http::Handler operator()(manage::UploadHandler* /*handler*/) const { return {}; }
    http::Handler operator()(BodyHandler* /*handler*/) const { return {}; }
    http::Handler operator()(StrangerBodyHandler* /*handler*/) const { return {}; }

    [[nodiscard]] http::UploadHandler upload() const {
        if (auto* const* handle = std::get_if<BodyHandler*>(&operation.answerer)) {
            return body(*handle);
        }
        if (auto* const* handle = std::get_if<StrangerBodyHandler*>(&operation.answerer)) {
            return [rooms = rooms, handle = *handle](const http::Request& request,
                                                     http::Responder responder,
                                                     const http::PieceHold& /*hold*/) {
                return handle(rooms, request, std::move(responder));
            };
        }
        return [rooms = rooms, &operation = operation](
                   const http::Request& request, http::Responder responder,
                   http::PieceHold hold) -> std::unique_ptr<http::BodyReceiver> {
            auto principal = admit(rooms, operation, request, responder);
            return principal
                       ? rooms.management.take_upload(operation, request, *std::move(principal),
                                                      std::move(responder), std::move(hold))
                       : nullptr;
        };
    }

    [[nodiscard]] http::UploadHandler body(BodyHandler* handle) const {
        return [rooms = rooms, handle, &operation = operation](
                   const http::Request& request, http::Responder responder,
                   const http::PieceHold& /*hold*/) -> std::unique_ptr<http::BodyReceiver> {
            auto principal = admit(rooms, operation, request, responder);
            return principal ? handle(rooms, request, *std::move(principal), std::move(responder))
                             : nullptr;
        };
    }

    [[nodiscard]] http::Handler managed() const {
        return [rooms = rooms, &operation = operation](const http::Request& request,
                                                       http::Responder responder) {
            if (auto principal = admit(rooms, operation, request, responder)) {
                rooms.management.take(operation, request, *std::move(principal),
                                      std::move(responder));
            }
        };
    }
};

void refuse(const http::Request& request, http::Responder responder) {
    responder.send(
        reply_of(manage::Manage::refuse(request.path, request.from_local_socket), request));
}

/// Whether errors of an operation are problem documents, as in the catalogue.
bool is_of_catalogue(const Operation& operation) {
    return operation.scope == Scope::catalogue ||
           std::holds_alternative<manage::Handler*>(operation.answerer);
}

/// The pattern of all paths under a resource: "/v1/devices/*" for "/v1/devices/{}/pair".
std::string resource_of(std::string_view path) {
    const auto version_end = path.find('/', 1);
    const auto end = path.find('/', version_end + 1);
    return std::string{path.substr(0, end)} + "/*";
}

/// Refuses all other methods and paths under the catalogue's resources, with problem documents.
void refuse_the_rest(http::Router& router, const std::vector<const Operation*>& added) {
    std::set<std::pair<std::string, http::Method>> known;
    std::set<std::string> paths;
    for (const auto* operation : added) {
        known.emplace(operation->path, operation->method);
        if (is_of_catalogue(*operation)) {
            paths.emplace(operation->path);
            paths.insert(resource_of(operation->path));
        }
    }
    for (const auto& path : paths) {
        for (const auto method : methods) {
            if (!path.contains("{}") && !known.contains({path, method})) {
                router.add(method, path, refuse);
            }
        }
    }
}

/// The operation that a request names.
const Operation* operation_of(const http::Request& request) {
    for (const auto& operation : operations()) {
        if (operation.method == request.method && http::match_path(operation.path, request.path)) {
            return &operation;
        }
    }
    return nullptr;
}

std::optional<http::Reply> before_too_large(const Rooms& rooms, const http::Request& request) {
    const auto* operation = operation_of(request);
    if (operation != nullptr && operation->is_for_strangers()) {
        return reply_of(manage::body_too_large(), request);
    }
    if (operation == nullptr || !is_of_catalogue(*operation)) {
        return rooms.authenticator.before_too_large(request);
    }
    auto admitted = rooms.callers.admit(request, *operation);
    return reply_of(admitted ? manage::body_too_large() : std::move(admitted.error()), request);
}

}  // namespace

void add_routes(http::Router& router, std::initializer_list<Scope> scopes, const Rooms& rooms,
                Gate* gate) {
    const auto guarded = [gate](const Operation& operation, auto handler) {
        return gate == nullptr ? std::move(handler) : gate->guard(operation, std::move(handler));
    };
    const auto offered = [&](Scope scope) {
        return std::ranges::find(scopes, scope) != scopes.end();
    };
    std::vector<const Operation*> added;
    for (const auto& operation : operations()) {
        if (offered(operation.scope)) {
            added.push_back(&operation);
            if (operation.is_upload() || operation.takes_body()) {
                router.add_upload(operation.method, std::string{operation.path},
                                  guarded(operation, HandlerMaker{operation, rooms}.upload()),
                                  operation.body_max);
                continue;
            }
            router.add(
                operation.method, std::string{operation.path},
                guarded(operation, std::visit(HandlerMaker{operation, rooms}, operation.answerer)),
                operation.body_max);
        }
    }
    if (offered(Scope::catalogue)) {
        refuse_the_rest(router, added);
        router.before_too_large = [rooms](const http::Request& request) {
            return before_too_large(rooms, request);
        };
    }
}

}  // namespace merpati::api
