// What a running server counts, logs and stores of people who sign in.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "daemon/tally.hpp"
#include "people/sign_in.hpp"
#include "store/committer.hpp"
#include "store/people.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Counts each try to sign in, and logs those that were denied or throttled. The log itself limits
/// repeated lines. Threads: any.
[[nodiscard]] inline people::SignIn::Listener sign_in_listener(Tally& tally, telemetry::Log log) {
    return [&tally, log = std::move(log)](const people::SignInTry& made) {
        tally.signed_in(made.result);
        const auto person = made.person ? made.person->text() : std::string{"unknown"};
        if (made.result == people::SignInResult::second_factor_denied) {
            log.error(
                "a right password came with a wrong code: unless its owner mistyped, somebody "
                "else knows the password",
                {{"address", made.address}, {"person", person}});
        } else if (made.result == people::SignInResult::denied ||
                   made.result == people::SignInResult::throttled) {
            log.warn("a try to sign in failed", {{"why", people::to_string(made.result)},
                                                 {"address", made.address},
                                                 {"person", person}});
        }
    };
}

/// Stores when a session was last seen. A failed write is ignored: after a restart the session then
/// only seems idle for longer.
[[nodiscard]] inline std::function<void(model::SessionId, Timestamp)> session_writer(
    store::Committer& committer) {
    return [&committer](model::SessionId session, Timestamp at) {
        (void)committer.change(
            [session, at](store::Tables& tables) {
                return tables.people().touch_session(session, at);
            },
            [](const Result<void>& /*written*/) {});
    };
}

}  // namespace merpati::daemon
