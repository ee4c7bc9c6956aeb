// How a resource says what it answers: rows of method, path and handler.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "api/manage/context.hpp"
#include "api/manage/fields.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// One call on its way through a handler.
struct Call {
    std::string id;  // What stands for "{}" in the route's path, percent-decoded.
    Fields fields;   // Of the body; for GET and DELETE of the query.
};

struct Route {
    http::Method method = http::Method::get;
    std::string_view path;  // Under /manage/v1; at most one "{}".
    Result<boost::json::value> (*handler)(const Context&, Call&) = nullptr;
};

[[nodiscard]] std::span<const Route> account_routes();
[[nodiscard]] std::span<const Route> key_routes();
[[nodiscard]] std::span<const Route> device_routes();
[[nodiscard]] std::span<const Route> message_routes();
[[nodiscard]] std::span<const Route> callback_routes();
[[nodiscard]] std::span<const Route> operation_routes();

}  // namespace merpati::api::manage
