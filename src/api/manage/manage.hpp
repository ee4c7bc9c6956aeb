// The management API: one door for the CLI, the dashboard and operators' programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/manage/context.hpp"
#include "api/operation.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

struct Outcome {
    std::uint16_t status = 200;
    std::string body;                // JSON; of a failure {"error":{"code","message"}}.
    std::string allow{};             // Of a 405: the methods that the path takes, "GET, POST".
    std::unique_ptr<Lines> lines{};  // Instead of `body`, of an operation that is streamed.
};

/// A call as it came.
struct Request {
    http::Method method = http::Method::get;
    std::string path;
    std::string query;
    std::string body;
};

/// Accounts, keys, devices, messages, callbacks, backup and status, as plain calls: method, path,
/// query and body in, status and JSON out. docs/management-api.md is its manual.
///
/// Operation: the operations of Scope::management, for the principals that this permits. Each
/// change is decided in the transaction that commits it, and in the directory when `run` returns,
/// so that the very next request sees it. Lists answer {"items":[…],"next":CURSOR or null}.
///
/// Threads: any, where the context's parts may be used; calls block on the store.
///
/// Limits: lists to 1000 items a page; each field's bound stands in its error.
///
/// Errors: as statuses. 400 malformed, 403 refused, 404 not found, 405 method, 409 conflict,
/// 503 busy, 504 timeout, 500 the store or a file. The message says what to do.
class Manage {
public:
    explicit Manage(Context context) : context_(std::move(context)) {}

    /// Finds the operation, and runs it for the local operator.
    [[nodiscard]] Outcome handle(http::Method method, std::string_view path, std::string_view query,
                                 std::string_view body);

    [[nodiscard]] Outcome run(const Operation& operation, const Request& request,
                              admission::Principal principal);

    /// What a request is answered for which there is no operation: 404 or 405.
    [[nodiscard]] static Outcome refuse(std::string_view path);

    /// The answer to who must come again.
    [[nodiscard]] static Outcome busy();

private:
    Context context_;
};

/// The management socket of a store: the path of its SQLite file with ".sock" appended. Empty for
/// stores that several servers may share.
[[nodiscard]] std::string local_socket_path(std::string_view store_url);

}  // namespace merpati::api::manage
