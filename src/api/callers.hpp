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
class Callers {
public:
    Callers(const Clock& clock, const admission::Directory& directory, AppAddress app,
            admission::SessionLimits limits)
        : clock_(clock), directory_(directory), app_(app), limits_(limits) {}

    /// Told when a session was last seen, once a minute at most, for the store. Set before the
    /// server starts; may be empty.
    std::function<void(model::SessionId, Timestamp)> on_seen;

    /// Anyone, where nothing was shown. An outcome: something was, and it opens nothing.
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify(
        const http::Request& request) const;

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
};

}  // namespace merpati::api
