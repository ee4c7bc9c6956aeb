#include "api/operations.hpp"

#include "api/errors.hpp"
#include "base/digest.hpp"
#include "base/json_text.hpp"

namespace merpati::api {
namespace {

http::Reply json(std::string body) {
    http::Reply reply;
    reply.body = std::move(body);
    reply.add_header("Cache-Control", "no-store");
    return reply;
}

/// {"status":"ready"}, or 503: a failure like every other (decisions.md), and the reasons.
http::Reply readiness(const std::vector<Unready>& reasons) {
    if (reasons.empty()) {
        return json(R"({"status":"ready"})");
    }
    auto reply = failure(Refusal::overloaded);
    reply.add_header("Cache-Control", "no-store");
    auto& body = reply.body;
    body.pop_back();  // The brace that ends the object.
    body += R"(,"reasons":[)";
    for (const auto& [part, reason] : reasons) {
        body += body.back() == '[' ? R"({"part":)" : R"(,{"part":)";
        append_json_string(body, part);
        body += R"(,"reason":)";
        append_json_string(body, reason);
        body += '}';
    }
    body += "]}";
    return reply;
}

bool may_read_metrics(const http::Request& request, const std::string& token) {
    if (token.empty()) {
        return request.from_loopback;
    }
    // Digests are compared, so that neither length nor beginning of the token can be felt for.
    return equal_constant_time(sha256(request.authorization), sha256("Bearer " + token));
}

}  // namespace

void Operations::add_to(http::Router& router) const {
    router.add(http::Method::get, "/healthz", [](const http::Request&, http::Responder responder) {
        responder.send(json(R"({"status":"ok"})"));
    });
    router.add(http::Method::get, "/readyz",
               [this](const http::Request&, http::Responder responder) {
                   responder.send(readiness(unready()));
               });
    router.add(http::Method::get, "/openapi.yaml",
               [](const http::Request&, http::Responder responder) {
                   http::Reply reply;
                   reply.static_body = openapi_yaml();
                   reply.content_type = "application/yaml";
                   responder.send(std::move(reply));
               });
}

void Operations::add_metrics_to(http::Router& router) const {
    router.add(http::Method::get, "/metrics",
               [this](const http::Request& request, http::Responder responder) {
                   if (!may_read_metrics(request, metrics_token)) {
                       responder.send(failure(Refusal::key_invalid));
                       return;
                   }
                   request.vouch();
                   http::Reply reply;
                   reply.body = metrics();
                   reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
                   responder.send(std::move(reply));
               });
}

}  // namespace merpati::api
