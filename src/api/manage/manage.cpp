#include "api/manage/manage.hpp"

#include <array>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/route.hpp"
#include "model/store_url.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::string_view root = "/manage/v1";

/// Every resource's rows, in the order of the manual.
std::array<std::span<const Route>, 6> resources() {
    return {account_routes(), key_routes(),      device_routes(),
            message_routes(), callback_routes(), operation_routes()};
}

/// What stands for "{}" when `path` has the pattern's form; empty where the pattern has none.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path) {
    const auto hole = pattern.find("{}");
    if (hole == std::string_view::npos) {
        return path == pattern ? std::optional{std::string_view{}} : std::nullopt;
    }
    const auto before = pattern.substr(0, hole);
    const auto after = pattern.substr(hole + 2);
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after)) {
        return std::nullopt;
    }
    path.remove_prefix(before.size());
    path.remove_suffix(after.size());
    return path.contains('/') ? std::nullopt : std::optional{path};
}

struct Found {
    const Route* route = nullptr;
    std::string_view id;
    std::string allow;  // The methods that the path takes; empty: there is no such path.
};

Found find(http::Method method, std::string_view path) {
    Found found;
    if (!path.starts_with(root)) {
        return found;
    }
    path.remove_prefix(root.size());
    for (const auto rows : resources()) {
        for (const auto& route : rows) {
            if (const auto id = match(route.path, path)) {
                found.allow.append(found.allow.empty() ? "" : ", ")
                    .append(http::to_string(route.method));
                if (route.method == method) {
                    found.route = &route;
                    found.id = *id;
                    return found;
                }
            }
        }
    }
    return found;
}

Outcome failure(std::uint16_t status, std::string_view code, std::string_view message) {
    const boost::json::value body{
        {"error",
         {{"code", boost::json::string_view{code.data(), code.size()}},
          {"message", boost::json::string_view{message.data(), message.size()}}}}};
    return {.status = status, .body = boost::json::serialize(body)};
}

std::uint16_t status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return 400;
        case ErrorCode::refused:
            return 403;
        case ErrorCode::not_found:
            return 404;
        case ErrorCode::conflict:
            return 409;
        case ErrorCode::busy:
        case ErrorCode::shutting_down:
            return 503;
        case ErrorCode::timeout:
            return 504;
        case ErrorCode::unreachable:
        case ErrorCode::protocol:
        case ErrorCode::store_failed:
        case ErrorCode::damaged:
        case ErrorCode::io_failed:
            return 500;
    }
    return 500;
}

}  // namespace

Outcome Manage::handle(http::Method method, std::string_view path, std::string_view query,
                       std::string_view body) {
    const auto found = find(method, path);
    if (found.route == nullptr) {
        auto refusal =
            found.allow.empty()
                ? failure(404, "not_found", "there is nothing at this path")
                : failure(405, "method_not_allowed", "this path takes " + found.allow + " only");
        refusal.allow = found.allow;
        return refusal;
    }
    const auto id = percent_decode(found.id);
    if (!id) {
        return failure(400, "invalid_argument", "the id in the path is malformed");
    }
    const bool asks = method == http::Method::get || method == http::Method::del;
    auto fields = asks ? Fields::from_query(query) : Fields::from_body(body);
    if (!fields) {
        return failure(400, to_string(fields.error().code), fields.error().detail);
    }
    Call call{.id = *id, .fields = std::move(*fields)};
    const auto answer = found.route->handler(context_, call);
    if (!answer) {
        const auto& error = answer.error();
        return failure(status_of(error.code), to_string(error.code), error.detail);
    }
    return {.status = 200, .body = boost::json::serialize(*answer)};
}

std::vector<std::pair<http::Method, std::string_view>> Manage::routes() {
    std::vector<std::pair<http::Method, std::string_view>> all;
    for (const auto rows : resources()) {
        for (const auto& route : rows) {
            all.emplace_back(route.method, route.path);
        }
    }
    return all;
}

std::string local_socket_path(std::string_view store_url) {
    const auto file = model::sqlite_file(store_url);
    return file ? std::string{*file} + ".sock" : std::string{};
}

}  // namespace merpati::api::manage
