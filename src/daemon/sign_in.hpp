// Creates what signing in needs in a running server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/manage/people/people_rooms.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "daemon/options.hpp"
#include "daemon/tally.hpp"
#include "people/password_hasher.hpp"
#include "people/sign_in_throttle.hpp"
#include "store/committer.hpp"
#include "store/people.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Threads: any.
struct SignIn {
    /// `listening`: returns the addresses that the server listens on, for links.
    SignIn(Random& random, const config::Settings& settings,
           std::function<std::vector<std::string>()> listening, Tally& tally, telemetry::Log log)
        : throttle(random),
          rooms{.hasher = hasher,
                .throttle = throttle,
                .session_limits = session_limits(settings),
                .app_url = [&settings, listening = std::move(
                                           listening)] { return app_url(settings, listening()); },
                .on_try =
                    [&tally, log = std::move(log)](const people::SignInTry& made) {
                        tally.signed_in(made.result);
                        tell_of(made, log);
                    }} {}
    SignIn(const SignIn&) = delete;
    SignIn& operator=(const SignIn&) = delete;

    /// Logs tries that were denied or throttled. The log itself limits repeated lines.
    static void tell_of(const people::SignInTry& made, const telemetry::Log& log) {
        using Result = people::SignInTry::Result;
        if (made.result == Result::second_factor_denied) {
            log.error(
                "a right password came with a wrong code: unless its owner mistyped, somebody "
                "else knows the password",
                {{"address", made.address},
                 {"person", made.person ? made.person->text() : std::string{"unknown"}}});
        } else if (made.result == Result::denied || made.result == Result::throttled) {
            log.warn("a try to sign in failed",
                     {{"why", people::to_string(made.result)},
                      {"address", made.address},
                      {"person", made.person ? made.person->text() : std::string{"unknown"}}});
        }
    }

    people::PasswordHasher hasher;
    people::SignInThrottle throttle;
    const api::manage::PeopleRooms rooms;
};

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
