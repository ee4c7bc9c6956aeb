// Identifies the caller of an operation of the catalogue.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <optional>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/operation.hpp"
#include "api/session_cookie.hpp"
#include "base/clock.hpp"
#include "http/party.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// Operation: a request through the management socket is the local operator's. Otherwise the
/// `Authorization` header holds a key; without that header, the cookie holds the token of a
/// session. A cookie without a live session is ignored, so that its browser can sign in again.
///
/// Threads: any; no call blocks.
///
/// Limits: calls by an account's keys beyond admission::check_call_rate are answered 429, and so
/// are calls by a person beyond `person_calls`, and changes beyond `person_changes`. Calls by the
/// local operator are bounded only by the shares of CallThreads.
class Callers {
public:
    /// More than the web app asks for; a script should use a key.
    static constexpr model::Rate person_calls{.count = 3'000, .period = std::chrono::minutes{1}};
    /// Each is a commit and an entry of the log of changes.
    static constexpr model::Rate person_changes{.count = 600, .period = std::chrono::minutes{1}};

    Callers(const Clock& clock, const admission::Directory& directory, AppAddress app,
            people::SessionLimits limits, std::optional<model::Rate> default_rate)
        : clock_(clock),
          directory_(directory),
          app_(app),
          limits_(limits),
          default_rate_(default_rate) {}

    /// Called with the time at which a session was last used, at most once a minute for a session
    /// (more often only for sessions that last minutes). The daemon writes it to the store. Set
    /// before the server starts; may be empty.
    std::function<void(model::SessionId, Timestamp)> on_seen;

    /// The caller of an operation of the catalogue, who may call it and whose rate permits this
    /// call. From then on, the connection counts for the caller. Errors: those of `identify`,
    /// Manage::check_scope and `check_rate`, in this order.
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> admit(
        const http::Request& request, const Operation& operation) const;

    /// Principal::Kind::anyone if the request has neither a key nor the cookie of a live session.
    /// Errors: 401 for a key that is not valid; 403 for a request that comes with a cookie from
    /// another site, and for a change that was not made by a page of this server (is_own_request).
    /// `takes_basic`: Operation::takes_basic.
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify(
        const http::Request& request, bool takes_basic = false) const;

    /// Whose share of limits the request takes, before it is admitted: that of the account of its
    /// key, or of the person of its session; of others that of the client's address.
    [[nodiscard]] http::Party party_of(const http::Request& request) const;

    /// The connection counts for the caller from now on (Request::vouch), if there is one.
    static void vouch(const http::Request& request, const admission::Principal& principal);

private:
    /// Counts a call of a key or a person. An outcome: 429, the rate is exceeded.
    [[nodiscard]] std::optional<manage::Outcome> check_rate(
        const http::Request& request, const admission::Principal& principal) const;
    [[nodiscard]] std::optional<RateVerdict> count_call(
        const http::Request& request, const admission::Principal& principal) const;
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify_cookie(
        const http::Request& request) const;

    const Clock& clock_;
    const admission::Directory& directory_;
    const AppAddress app_;
    const people::SessionLimits limits_;
    const std::optional<model::Rate> default_rate_;
};

}  // namespace merpati::api
