#include "forwarding/receiving_desk.hpp"

#include <optional>
#include <string>
#include <utility>

#include "forwarding/caller.hpp"
#include "forwarding/channel_text.hpp"
#include "forwarding/kept_request.hpp"
#include "forwarding/passage_text.hpp"
#include "forwarding/whole_body.hpp"
#include "http/head.hpp"
#include "http/head_scanner.hpp"

namespace merpati::forwarding {
namespace {

/// Empty: no node has passed the request on.
std::optional<Caller> proven_caller(const NodeSecret& secret, const http::Request& request) {
    const auto caller = request.header(caller_header);
    const auto proof = request.header(proof_header);
    const bool holds =
        caller && proof &&
        secret.holds(*proof, http::to_string(request.method), target_of(request), *caller);
    return holds ? parse_caller(*caller) : std::nullopt;
}

/// The request in these bytes, to which the head's views must point. Empty: there is none.
std::optional<http::Request> request_in(std::string_view bytes, const http::Limits& limits,
                                        http::Head& head) {
    http::HeadScanner scanner{limits};
    if (scanner.scan(bytes) != http::HeadScanner::Result::complete ||
        head.parse(bytes.substr(scanner.begin(), scanner.end() - scanner.begin())) != 0 ||
        head.content_length != bytes.size() - scanner.end()) {
        return std::nullopt;
    }
    auto request = head.request();
    request.body = bytes.substr(scanner.end());
    return request;
}

}  // namespace

void ReceivingDesk::add_routes(http::Router& router) {
    using http::Method;
    for (const auto method : {Method::get, Method::head, Method::post, Method::put, Method::patch,
                              Method::del, Method::options, Method::other}) {
        router.add_upload(
            method, "/*",
            [this](const http::Request& request, http::Responder responder, http::PieceHold hold) {
                return take(request, std::move(responder), std::move(hold));
            });
    }
}

std::unique_ptr<http::BodyReceiver> ReceivingDesk::take(const http::Request& given,
                                                        http::Responder responder,
                                                        http::PieceHold hold) {
    const auto caller = proven_caller(secret_, given);
    if (!caller) {
        responder.send({.status = not_here_status, .close = true});
        return nullptr;
    }
    if (given.header("Upgrade") == channel_protocol) {
        responder.send(new_channel());
        return nullptr;
    }
    auto kept = std::make_unique<KeptRequest>(given);
    amend(kept->request(), *caller);
    const auto* const routes = routes_.load();
    if (routes == nullptr) {
        responder.send(not_here());
        return nullptr;
    }
    const auto match = routes->find(given.method, given.path);
    if (match.upload != nullptr) {
        return (*match.upload)(kept->request(), std::move(responder), std::move(hold));
    }
    if (match.handler == nullptr) {
        responder.send(refused(match));
        return nullptr;
    }
    struct Begun {
        std::unique_ptr<KeptRequest> kept;
        http::Responder responder;
    };
    const auto party = party_of_(kept->request());
    auto begun =
        std::make_shared<Begun>(Begun{.kept = std::move(kept), .responder = std::move(responder)});
    return std::make_unique<WholeBody>(
        room_, party, match.body_max != 0 ? match.body_max : limits_.body_max,
        [handler = match.handler, begun](const std::string& body) {
            auto& request = begun->kept->request();
            request.body = body;
            (*handler)(request, std::move(begun->responder));
        },
        [this, routes, begun](const std::string& /*so_far*/,
                              bool is_too_long) -> std::unique_ptr<http::BodyReceiver> {
            begun->responder.send(is_too_long ? too_large(*routes, begun->kept->request())
                                              : refused({.status = 503}));
            return nullptr;
        });
}

void ReceivingDesk::take(std::string_view text, http::Responder responder) {
    http::Head head;
    auto request = request_in(text, limits_, head);
    if (!request) {
        responder.send(refused({.status = 400}));
        return;
    }
    const auto caller = proven_caller(secret_, *request);
    if (!caller) {
        responder.send({.status = not_here_status});
        return;
    }
    http::Party party{caller->peer};
    request->party = &party;
    amend(*request, *caller);
    const auto* const routes = routes_.load();
    if (routes == nullptr) {
        responder.send(not_here());
        return;
    }
    const auto match = routes->find(request->method, request->path);
    const auto body_max = match.body_max != 0 ? match.body_max : limits_.body_max;
    if (match.handler == nullptr) {
        responder.send(refused(match));
    } else if (request->body.size() > body_max) {
        responder.send(too_large(*routes, *request));
    } else {
        (*match.handler)(*request, std::move(responder));
    }
}

http::Reply ReceivingDesk::new_channel() {
    http::Reply reply{.status = 101,
                      .upgrade = [this](auto socket) { channels_.adopt(std::move(socket)); }};
    reply.add_header("Connection", "Upgrade");
    reply.add_header("Upgrade", channel_protocol);
    return reply;
}

http::Reply ReceivingDesk::not_here() const {
    http::Reply reply{.status = not_here_status, .body = refusal_(not_here_status)};
    reply.add_header(not_here_header, "1");
    return reply;
}

http::Reply ReceivingDesk::too_large(const http::Router& routes,
                                     const http::Request& request) const {
    if (routes.before_too_large) {
        if (auto earlier = routes.before_too_large(request)) {
            return *std::move(earlier);
        }
    }
    return refused({.status = 413});
}

http::Reply ReceivingDesk::refused(const http::Router::Match& match) const {
    http::Reply reply{.status = match.status, .body = refusal_(match.status)};
    if (match.status == 405) {
        reply.add_header("Allow", match.allow);
    } else if (match.status == 503) {
        reply.add_header("Retry-After", "1");
    }
    return reply;
}

}  // namespace merpati::forwarding
