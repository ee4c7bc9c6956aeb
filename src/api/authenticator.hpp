// The checks that every operation of Scope::account begins with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "admission/directory.hpp"
#include "api/call.hpp"
#include "api/idempotency.hpp"
#include "api/operation.hpp"
#include "base/queue_clock.hpp"
#include "http/request.hpp"
#include "model/account.hpp"

namespace merpati::api {

/// Which published revision a request uses. The first that applies of: the header `X-Api-Revision`,
/// the key's pin, the fields of the body, the server's default (decisions.md).
struct RevisionChoice {
    model::Revision revision = model::Revision::a;
    bool header_unknown = false;  // The header had another value than A or B.
};
[[nodiscard]] RevisionChoice choose_revision(std::optional<std::string_view> header,
                                             std::optional<model::Revision> pinned,
                                             const JsonFields* fields,
                                             model::Revision server_default);

struct AuthenticatorOptions {
    model::Revision default_revision = model::Revision::a;
    std::optional<model::Rate> default_rate;
};

/// Carries out the first half of decisions.md's order of checks, and answers requests that fail
/// one. An operation without revisions ignores header, pin and default; its errors are worded as in
/// revision A.
///
/// Threads: any; no call blocks.
class Authenticator {
public:
    Authenticator(const QueueClock& clock, const admission::Directory& directory,
                  Idempotency& idempotency, AuthenticatorOptions options)
        : clock_(clock), directory_(directory), idempotency_(idempotency), options_(options) {}

    /// Called for each refused call of an operation of Scope::account, also by later checks. Set
    /// before the server starts.
    RefusalListener on_refused;

    /// Calls `proceed` with the call, unless it is refused or a repeat: then it is answered. A call
    /// with an Idempotency-Key proceeds later, on another thread (Idempotency).
    void authenticate(const http::Request& request, http::Responder responder,
                      const Operation& operation, Idempotency::Proceed proceed) const;

    /// For http::Router::before_too_large: a wrong key or a missing scope is reported before a body
    /// that is too large. The 413 has an `X-Api-Revision` where the operation has revisions, chosen
    /// without the body. Empty: the path is not one of Scope::account.
    [[nodiscard]] std::optional<http::Reply> before_too_large(const http::Request& request) const;

private:
    [[nodiscard]] Checked<void> check(const http::Request& request, const Operation& operation,
                                      Call& call) const;
    [[nodiscard]] Checked<void> check_rate(Call& call) const;
    [[nodiscard]] Checked<void> read_idempotency_key(const http::Request& request,
                                                     const Operation& operation, Call& call) const;

    const QueueClock& clock_;
    const admission::Directory& directory_;
    Idempotency& idempotency_;
    AuthenticatorOptions options_;
};

}  // namespace merpati::api
