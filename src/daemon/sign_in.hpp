// What signing in needs in a server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/manage/people_rooms.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "daemon/options.hpp"
#include "people/password_hasher.hpp"
#include "people/sign_in_throttle.hpp"
#include "store/committer.hpp"
#include "store/people.hpp"

namespace merpati::daemon {

/// Threads: any.
struct SignIn {
    /// `listening`: the addresses that are listened on, for links.
    SignIn(Random& random, const config::Settings& settings,
           std::function<std::vector<std::string>()> listening)
        : throttle(random),
          rooms{.hasher = hasher,
                .throttle = throttle,
                .session_limits = session_limits(settings),
                .app_url = [&settings, listening = std::move(listening)] {
                    return app_url(settings, listening());
                }} {}
    SignIn(const SignIn&) = delete;
    SignIn& operator=(const SignIn&) = delete;

    people::PasswordHasher hasher;
    people::SignInThrottle throttle;
    const api::manage::PeopleRooms rooms;
};

/// Stores when a session was last seen. Where that cannot be written, a restart knows of an earlier
/// request.
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
