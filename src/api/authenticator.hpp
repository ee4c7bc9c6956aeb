// What every key-authenticated operation does first: who calls, may they, and what do they send.
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

/// Which published revision a request speaks (decisions.md, first rule that applies): the header
/// `X-Api-Revision`, the key's pin, the fields of the body, the server's default.
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

/// The first half of decisions.md's order of checks, and the one place that answers whoever fails
/// them. An operation without revisions has one form only: header, pin and default say nothing
/// about it, and its errors are worded as A's.
///
/// Threads: any.
class Authenticator {
public:
    Authenticator(const QueueClock& clock, const admission::Directory& directory,
                  Idempotency& idempotency, AuthenticatorOptions options)
        : clock_(clock), directory_(directory), idempotency_(idempotency), options_(options) {}

    /// Told of each refusal of a request that names an operation with a key. Set before the server
    /// starts.
    RefusalListener on_refused;

    /// Empty: it was refused, or a repeat, and is answered.
    [[nodiscard]] std::optional<Call> authenticate(const http::Request& request,
                                                   http::Responder responder,
                                                   const Operation& operation) const;

    /// For http::Router::before_too_large: a wrong key is told before a body that is too large, and
    /// the answer names the revision where there are some, as far as the head alone tells it.
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
