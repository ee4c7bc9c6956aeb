#include "api/routes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/authenticator.hpp"
#include "api/errors.hpp"
#include "api/manage/service.hpp"
#include "api/monitoring.hpp"

namespace merpati::api {
namespace {

/// Makes of an operation what its route calls.
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
                request.vouch();
            }
            responder.send(page(rooms));
        };
    }

    http::Handler operator()(AccountHandler* handle) const {
        return [rooms = rooms, handle, &operation = operation](const http::Request& request,
                                                               http::Responder responder) {
            if (auto call =
                    rooms.authenticator.authenticate(request, std::move(responder), operation)) {
                handle(rooms, *std::move(call));
            }
        };
    }

    http::Handler operator()(manage::Handler* /*handler*/) const { return managed(); }
    http::Handler operator()(manage::StreamHandler* /*handler*/) const { return managed(); }

    [[nodiscard]] http::Handler managed() const {
        return [&service = rooms.management, &operation = operation](const http::Request& request,
                                                                     http::Responder responder) {
            service.take(operation, request, std::move(responder));
        };
    }
};

}  // namespace

void add_routes(http::Router& router, std::initializer_list<Scope> scopes, const Rooms& rooms) {
    const auto offered = [&](Scope scope) {
        return std::ranges::find(scopes, scope) != scopes.end();
    };
    for (const auto& operation : operations()) {
        if (offered(operation.scope)) {
            router.add(operation.method, std::string{operation.path},
                       std::visit(HandlerMaker{operation, rooms}, operation.answerer),
                       operation.body_max);
        }
    }
    if (offered(Scope::account)) {
        router.before_too_large = [&authenticator =
                                       rooms.authenticator](const http::Request& request) {
            return authenticator.before_too_large(request);
        };
    }
    if (offered(Scope::management)) {
        for (const auto method :
             {http::Method::get, http::Method::post, http::Method::put, http::Method::patch,
              http::Method::del, http::Method::options, http::Method::other}) {
            router.add(method, "/manage/v1/*", manage::Service::refuse);
        }
    }
}

}  // namespace merpati::api
