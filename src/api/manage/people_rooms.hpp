// What signing in needs beside the store.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "admission/people_directory.hpp"
#include "people/password_hasher.hpp"
#include "people/sign_in_throttle.hpp"

namespace merpati::api::manage {

/// Threads: any.
struct PeopleRooms {
    people::PasswordHasher& hasher;
    people::SignInThrottle& throttle;
    admission::SessionLimits session_limits;
    /// The address at which people open the web app, without a final slash.
    std::function<std::string()> app_url;
};

inline constexpr std::chrono::minutes link_lasts{15};

}  // namespace merpati::api::manage
