// The catalogue of operations, as plain calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/manage/context.hpp"
#include "api/manage/idempotent_calls.hpp"
#include "api/manage/problem.hpp"
#include "api/operation.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// A call as it came.
struct Request {
    http::Method method = http::Method::get;
    std::string path;
    std::string query;
    std::string body;
    RequestHead head{};
};

/// Accounts, keys, devices, messages, callbacks, backup and status: method, path, query and body
/// in, status and JSON out. docs/catalogue.md is its manual.
///
/// Operation: whoever calls must have the scope that the operation needs, in the account that the
/// call is about; what is of other accounts is answered as what does not exist (lookup.hpp). Each
/// change is decided in the transaction that commits it, and in the directory when `run` returns,
/// so that the very next request sees it. Lists answer {"items":[…],"next":CURSOR or null}, single
/// resources have an ETag (entity_tag.hpp), and what creates or moves something takes an
/// Idempotency-Key (idempotent_calls.hpp).
///
/// Threads: any, where the context's parts may be used; calls block on the store.
///
/// Limits: lists to 1000 items a page; each field's bound stands in its error.
///
/// Errors: as problems. 400 malformed, 401 nobody, 403 forbidden or refused, 404 not found, 405
/// method, 409 conflict, 412 precondition, 503 busy, 504 timeout, 500 the store or a file. The
/// detail says what to do.
class Manage {
public:
    explicit Manage(Context context) : context_(std::move(context)) {}

    /// Finds the operation, and runs it for the local operator; waits for an answer that is late.
    [[nodiscard]] Outcome handle(http::Method method, std::string_view path, std::string_view query,
                                 std::string_view body);

    [[nodiscard]] Outcome run(const Operation& operation, const Request& request,
                              admission::Principal principal);

    /// Before anything is looked up, so that the answer tells nothing of what there is: 401 for
    /// nobody, 403 for who has the operation's scope in no account. Empty: the caller may go on.
    [[nodiscard]] static std::optional<Outcome> check_scope(const Operation& operation,
                                                            const admission::Principal& principal);

    /// Whether the caller may do what it might when the call came in: whose answer is made while it
    /// is sent is asked about with each piece. Does not block.
    [[nodiscard]] bool is_as_before(const admission::Principal& principal) const;

    /// Whether somebody is signed in who did so from there. Does not block.
    [[nodiscard]] bool has_sessions_from(const http::PeerAddress& peer) const;

    /// What a request is answered for which there is no operation: 404 or 405.
    [[nodiscard]] static Outcome refuse(std::string_view path);

private:
    /// Answers, and logs what is changed: in `context`, which is that of an idempotent call too.
    [[nodiscard]] Outcome carry_out(const Context& context, const Operation& operation,
                                    const Request& request, Call& call) const;
    [[nodiscard]] Outcome answer(const Context& context, const Operation& operation,
                                 const Request& request, Call& call) const;
    [[nodiscard]] Outcome stream(const Operation& operation, StreamHandler* handler,
                                 Call& call) const;
    [[nodiscard]] Outcome answer_later(LateHandler* handler, Call& call) const;
    [[nodiscard]] Outcome failed(const Error& error, const Call& call) const;
    [[nodiscard]] Outcome failed(const Error& error, bool for_administrator,
                                 std::span<const Mistake> mistakes = {}) const;

    Context context_;
    IdempotentCalls idempotent_calls_;
};

/// The management socket of a store: the path of its SQLite file with ".sock" appended. Empty for
/// stores that several servers may share.
[[nodiscard]] std::string local_socket_path(std::string_view store_url);

}  // namespace merpati::api::manage
