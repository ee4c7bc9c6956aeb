// Who asks for an operation of the catalogue.
#pragma once

#include <expected>
#include <functional>
#include <optional>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "api/manage/problem.hpp"
#include "api/session_cookie.hpp"
#include "base/clock.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// Operation: a request that came through the management socket is the local operator's; of the
/// others the `Authorization` header says whose key it is, or else the cookie, whose session. A
/// cookie that opens nothing is none: its browser signs in again.
///
/// Threads: any; no call blocks.
///
/// Limits: an account's keys make as many calls as admission::check_call_rate lets in, more are
/// answered 429; what people do is bounded by the shares of Workers alone.
class Callers {
public:
    Callers(const Clock& clock, const admission::Directory& directory, AppAddress app,
            admission::SessionLimits limits, std::optional<model::Rate> default_rate)
        : clock_(clock),
          directory_(directory),
          app_(app),
          limits_(limits),
          default_rate_(default_rate) {}

    /// Told when a session was last seen, once a minute at most, for the store. Set before the
    /// server starts; may be empty.
    std::function<void(model::SessionId, Timestamp)> on_seen;

    /// Anyone, where nothing was shown. An outcome: something was, and it opens nothing.
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify(
        const http::Request& request) const;

    /// Counts a call of a key. An outcome: there were too many.
    [[nodiscard]] std::optional<manage::Outcome> check_rate(
        const admission::Principal& principal) const;

    /// The caller as it is now: whoever answers for long asks from time to time. Empty: the key was
    /// revoked, the session has ended, or the person was removed.
    [[nodiscard]] std::optional<admission::Principal> renew(
        const admission::Principal& principal) const;

private:
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify_cookie(
        const http::Request& request) const;

    const Clock& clock_;
    const admission::Directory& directory_;
    const AppAddress app_;
    const admission::SessionLimits limits_;
    const std::optional<model::Rate> default_rate_;
};

}  // namespace merpati::api
