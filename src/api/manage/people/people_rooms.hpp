// What operations on people need in addition to the store.
#pragma once

#include <functional>
#include <string>

#include "people/people_directory.hpp"
#include "people/sign_in.hpp"

namespace merpati::api::manage {

/// Threads: any.
struct PeopleRooms {
    people::SignIn& sign_in;
    people::SessionLimits session_limits;
    /// The address at which people open the web app, without a final slash.
    std::function<std::string()> app_url;
};

}  // namespace merpati::api::manage
