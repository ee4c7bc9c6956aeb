#include "forwarding/passage_text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "forwarding/caller.hpp"
#include "http/answer.hpp"

namespace merpati::forwarding {
namespace {

/// Of one connection (RFC 9110 section 7.6.1), or written anew.
constexpr std::array<std::string_view, 13> of_connection{
    "Connection",        "Keep-Alive",  "Proxy-Connection", "TE",     "Trailer",
    "Transfer-Encoding", "Upgrade",     "Content-Length",   "Expect", "Host",
    "X-Request-Id",      caller_header, proof_header};

/// Of an answer; names come in lower case.
constexpr std::array<std::string_view, 7> added_by_server{
    "connection",   "content-length", "keep-alive", "transfer-encoding", "x-content-type-options",
    "x-request-id", "trailer"};

bool is_of_connection(std::string_view name) {
    return std::ranges::any_of(
        of_connection, [name](std::string_view one) { return equals_ignoring_case(one, name); });
}

}  // namespace

http::RefusalBody refusal_to_nodes(http::RefusalBody usual) {
    return [usual = std::move(usual)](std::uint16_t status) {
        return status == 503 ? std::string{not_taken_body} : usual(status);
    };
}

std::string_view passed_method(http::Method method) noexcept {
    return http::to_string(method == http::Method::head ? http::Method::get : method);
}

std::string target_of(const http::Request& request) {
    auto target = std::string{request.path};
    if (!request.query.empty()) {
        target.append("?").append(request.query);
    }
    return target;
}

std::string head_of(const http::Request& request, const NodeSecret& secret) {
    const auto method = passed_method(request.method);
    const auto target = target_of(request);
    const auto caller = text_of(caller_of(request));
    auto head = fmt::format("{} {} HTTP/1.1\r\nHost: merpati\r\n", method, target);
    const auto add = [&head](std::string_view name, std::string_view value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    add("X-Request-Id", request.id);
    add(caller_header, caller);
    add(proof_header, secret.prove(method, target, caller));
    for (const auto& [name, value] : request.headers) {
        if (!is_of_connection(name)) {
            add(name, value);
        }
    }
    return head;
}

void append_whole(std::string& head, std::string_view body) {
    head += fmt::format("Content-Length: {}\r\n\r\n", body.size());
    head += body;
}

void append_begun(std::string& head, std::string_view begun) {
    head += "Transfer-Encoding: chunked\r\n\r\n";
    if (!begun.empty()) {
        http::append_chunk(head, begun);
    }
}

std::optional<Shard> parse_shard(std::string_view text) {
    const auto shard = parse_whole<Shard>(text);
    return shard && *shard < shard_count ? shard : std::nullopt;
}

bool has_body_within(const outbound::Response& response, std::size_t bytes_max) {
    if (response.status == 204 || response.status == 304) {
        return true;
    }
    const auto length = parse_whole<std::size_t>(response.header("content-length"));
    return length && *length <= bytes_max;
}

http::Reply reply_of(const outbound::Response& response) {
    http::Reply reply{.status = response.status, .content_type = {}};
    for (const auto& [name, value] : response.headers) {
        if (std::ranges::find(added_by_server, name) == added_by_server.end()) {
            reply.add_header(name, value);
        }
    }
    return reply;
}

}  // namespace merpati::forwarding
