// The management API: one door for the CLI, the dashboard and operators' programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/manage/context.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

struct Outcome {
    std::uint16_t status = 200;
    std::string body;     // JSON; of a failure {"error":{"code","message"}}.
    std::string allow{};  // Of a 405: the methods that the path takes, "GET, POST".
};

/// Accounts, keys, devices, messages, callbacks, backup and status, as plain calls: method, path,
/// query and body in, status and JSON out. docs/management-api.md is its manual.
///
/// Operation: whoever may call it may do everything; the door to it (the Unix socket's file
/// permissions, an operator's session) stands elsewhere. Each change is decided in the transaction
/// that commits it, and in the directory when `handle` returns, so that the very next request sees
/// it. Lists answer {"items":[…],"next":CURSOR or null}.
///
/// Threads: `handle` from any, where the context's parts may be; it blocks on the store.
///
/// Limits: lists to 1000 items a page; each field's bound stands in its error.
///
/// Errors: as statuses. 400 malformed, 403 refused, 404 not found, 405 method, 409 conflict,
/// 503 busy, 504 timeout, 500 the store or a file. The message says what to do.
class Manage {
public:
    explicit Manage(Context context) : context_(std::move(context)) {}

    [[nodiscard]] Outcome handle(http::Method method, std::string_view path, std::string_view query,
                                 std::string_view body);

    /// All (method, path) pairs, "{}" standing for an id.
    [[nodiscard]] static std::vector<std::pair<http::Method, std::string_view>> routes();

private:
    Context context_;
};

/// The management socket of a store: the path of its SQLite file with ".sock" appended. Empty for
/// stores that several servers may share.
[[nodiscard]] std::string local_socket_path(std::string_view store_url);

}  // namespace merpati::api::manage
