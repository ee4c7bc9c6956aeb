// Runs operations of the catalogue, independent of HTTP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/manage/engine/context.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/operation.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

/// A call before it is decoded.
struct Request {
    http::Method method = http::Method::get;
    std::string path;
    std::string query;
    std::string body;
    RequestHead head{};
    Upload* upload = nullptr;  // The body of an upload. Null: it is `body`.
};

/// Takes method, path, query and body; answers status and JSON. docs/catalogue.md is the manual of
/// the operations.
///
/// Operation: the caller must have the scope that the operation needs, in the account that the call
/// is about. Objects of accounts that the caller does not know are answered as if they did not
/// exist (lookup.hpp). Each change is decided in the transaction that commits it, and is in the
/// directory when `run` returns, so that the next request sees it. Lists answer
/// {"items":[…],"next":CURSOR or null}. Single resources that can be changed have an ETag
/// (entity_tag.hpp). Most POSTs take an Idempotency-Key (idempotent_calls.hpp).
///
/// Threads: any, as far as the context's parts allow. Calls block on the store.
///
/// Limits: 1000 items a page. Errors of fields name the limit of the field.
///
/// Errors: problem documents. An exception of a handler is answered 500. 400 malformed, 401 not
/// authenticated, 403 forbidden or refused, 404 not found, 405 method, 409 conflict, 412
/// precondition, 422 Idempotency-Key reused, 429 too many requests, 500 store or file, 502
/// unreachable, 503 busy, 504 timeout. The detail says what to do.
class Manage {
public:
    explicit Manage(Context context) : context_(std::move(context)) {}

    /// Finds the operation and runs it for the local operator. Waits for a late answer.
    [[nodiscard]] Outcome handle(http::Method method, std::string_view path, std::string_view query,
                                 std::string_view body);

    /// The same with a body that is read in pieces. `type`: its media type. A `body` of `handle` is
    /// application/json.
    [[nodiscard]] Outcome handle_upload(http::Method method, std::string_view path,
                                        std::string_view query, std::string_view type,
                                        Upload& body);

    [[nodiscard]] Outcome run(const Operation& operation, const Request& request,
                              admission::Principal principal);

    /// The refusal of a caller who may not call the operation at all: 401 without key and session,
    /// 403 without the scope in any account; one that was lost with an account's validity counts if
    /// the operation judges that itself. Empty: the caller may go on. Must be called before any
    /// look-up, so that the answer does not reveal what exists.
    [[nodiscard]] static std::optional<Outcome> check_scope(const Operation& operation,
                                                            const admission::Principal& principal);

    /// For what is done after a wait: a call that gets its thread, each piece of a stream.
    [[nodiscard]] const admission::CallerRights& rights() const noexcept { return context_.rights; }

    /// Passes a fault that no answer can tell, because the answer has begun, to Context::on_fault.
    void report(const Error& fault) const;

    /// Whether a person has a session that was opened from this address. Does not block.
    [[nodiscard]] bool has_sessions_from(const http::PeerAddress& peer) const;

    /// The answer to a request without an operation: 404 or 405. `is_local`: it came through the
    /// management socket. To others, operations of Scope::machine do not exist.
    [[nodiscard]] static Outcome refuse(std::string_view path, bool is_local);

private:
    [[nodiscard]] Outcome handle(const Request& request);
    [[nodiscard]] Outcome try_run(const Operation& operation, const Request& request,
                                  admission::Principal&& principal);
    /// Answers, and logs changes. `context` records the Idempotency-Key, if the call has one.
    [[nodiscard]] Outcome carry_out(const Context& context, const Operation& operation,
                                    const Request& request, Call& call) const;
    [[nodiscard]] Outcome answer(const Context& context, const Operation& operation,
                                 const Request& request, Call& call) const;
    [[nodiscard]] Outcome answer_upload(const Context& context, UploadHandler* handler,
                                        const Request& request, Call& call) const;
    [[nodiscard]] Outcome stream(const Operation& operation, StreamHandler* handler,
                                 Call& call) const;
    [[nodiscard]] Outcome answer_later(LateHandler* handler, Call& call) const;
    /// An outcome: another node works for the account that the call is about.
    [[nodiscard]] std::optional<Outcome> find_elsewhere(const Operation& operation,
                                                        Call& call) const;
    [[nodiscard]] Outcome failed(const Error& error, const Call& call) const;
    [[nodiscard]] Outcome failed(const Error& error, bool for_administrator,
                                 std::span<const Mistake> mistakes = {}) const;

    Context context_;
};

}  // namespace merpati::api::manage
