#include "api/monitoring.hpp"

#include "api/errors.hpp"
#include "base/digest.hpp"
#include "base/json_text.hpp"

namespace merpati::api {
namespace {

http::Reply json_reply(std::string body) {
    http::Reply reply;
    reply.body = std::move(body);
    reply.add_header("Cache-Control", "no-store");
    return reply;
}

void append_all(std::string& body, const std::vector<Unready>& all) {
    body += '[';
    for (const auto& [part, reason] : all) {
        body += body.back() == '[' ? R"({"part":)" : R"(,{"part":)";
        append_json_string(body, part);
        body += R"(,"reason":)";
        append_json_string(body, reason);
        body += '}';
    }
    body += ']';
}

}  // namespace

bool Monitoring::may_read_metrics(const http::Request& request) const {
    if (metrics_token.empty()) {
        return request.from_loopback;
    }
    // Compares digests, so that the time taken tells neither the length nor a prefix of the token.
    return equal_constant_time(sha256(request.authorization), sha256("Bearer " + metrics_token));
}

/// {"status":"ready"}, with a list "degraded" if a part does not work; or 503 with the usual
/// failure body (decisions.md) and a list "reasons".
http::Reply Monitoring::readiness() const {
    const auto reasons = unready();
    if (reasons.empty()) {
        std::string body = R"({"status":"ready")";
        if (const auto parts = degraded ? degraded() : std::vector<Unready>{}; !parts.empty()) {
            append_all(body += R"(,"degraded":)", parts);
        }
        return json_reply(std::move(body += '}'));
    }
    auto reply = failure(Refusal::overloaded);
    reply.add_header("Cache-Control", "no-store");
    auto& body = reply.body;
    body.pop_back();  // The brace that ends the object.
    append_all(body += R"(,"reasons":)", reasons);
    body += '}';
    return reply;
}

http::Reply Monitoring::metrics_page() const {
    return {.body = metrics(), .content_type = "text/plain; version=0.0.4; charset=utf-8"};
}

http::Reply Monitoring::liveness() {
    return json_reply(R"({"status":"ok"})");
}

http::Reply Monitoring::description() {
    return {.static_body = openapi_yaml(), .content_type = "application/yaml"};
}

}  // namespace merpati::api
