#include "api/manage/manage.hpp"

#include <boost/json/serialize.hpp>

#include "http/router.hpp"
#include "model/store_url.hpp"

namespace merpati::api::manage {
namespace {

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

Outcome failure(const Error& error) {
    return failure(status_of(error.code), to_string(error.code), error.detail);
}

}  // namespace

Outcome Manage::handle(http::Method method, std::string_view path, std::string_view query,
                       std::string_view body) {
    for (const auto& operation : operations()) {
        if (operation.scope == Scope::management && operation.method == method &&
            http::match_path(operation.path, path)) {
            return run(operation,
                       {.method = method,
                        .path = std::string{path},
                        .query = std::string{query},
                        .body = std::string{body}},
                       {.kind = admission::Principal::Kind::local_operator});
        }
    }
    return refuse(path);
}

Outcome Manage::run(const Operation& operation, const Request& request,
                    admission::Principal principal) {
    if (!permits(operation.scope, principal.kind)) {
        return failure(403, "refused", "this is for the operator alone");
    }
    auto id = percent_decode(http::match_path(operation.path, request.path).value_or(""));
    if (!id) {
        return failure(400, "invalid_argument", "the id in the path is malformed");
    }
    const bool asks =
        operation.method == http::Method::get || operation.method == http::Method::del;
    auto fields = asks ? Fields::from_query(request.query) : Fields::from_body(request.body);
    if (!fields) {
        return failure(fields.error());
    }
    Call call{
        .principal = std::move(principal), .id = *std::move(id), .fields = *std::move(fields)};
    if (auto* const* stream = std::get_if<StreamHandler*>(&operation.answerer)) {
        auto lines = (*stream)(context_, call);
        return lines ? Outcome{.lines = std::move(*lines)} : failure(lines.error());
    }
    const auto answer = std::get<Handler*>(operation.answerer)(context_, call);
    return answer ? Outcome{.body = boost::json::serialize(*answer)} : failure(answer.error());
}

Outcome Manage::refuse(std::string_view path) {
    std::string allow;
    for (const auto& operation : operations()) {
        if (operation.scope == Scope::management && http::match_path(operation.path, path)) {
            allow.append(allow.empty() ? "" : ", ").append(http::to_string(operation.method));
        }
    }
    if (allow.empty()) {
        return failure(404, "not_found", "there is nothing at this path");
    }
    auto refusal = failure(405, "method_not_allowed", "this path takes " + allow + " only");
    refusal.allow = std::move(allow);
    return refusal;
}

Outcome Manage::busy() {
    return failure(503, "busy", "too many calls wait, or the server is stopping: try again");
}

std::string local_socket_path(std::string_view store_url) {
    const auto file = model::sqlite_file(store_url);
    return file ? std::string{*file} + ".sock" : std::string{};
}

}  // namespace merpati::api::manage
