// What sign-ins need in addition to the store.
#pragma once

#include <functional>
#include <string>

#include "people/password_hasher.hpp"
#include "people/people_directory.hpp"
#include "people/sign_in.hpp"
#include "people/sign_in_throttle.hpp"

namespace merpati::api::manage {

using people::SignInTry;

/// Threads: any.
struct PeopleRooms {
    people::PasswordHasher& hasher;
    people::SignInThrottle& throttle;
    people::SessionLimits session_limits;
    /// The address at which people open the web app, without a final slash.
    std::function<std::string()> app_url;
    std::function<void(const SignInTry&)> on_try{};  // May be empty.
};

}  // namespace merpati::api::manage
