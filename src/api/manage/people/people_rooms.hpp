// What sign-ins need in addition to the store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/person.hpp"
#include "people/password_hasher.hpp"
#include "people/people_directory.hpp"
#include "people/sign_in_throttle.hpp"

namespace merpati::api::manage {

/// The result of an attempt to sign in, or of a signed-in person to confirm the password.
struct SignInTry {
    enum class Result : std::uint8_t {
        succeeded,
        second_factor_asked,   // The password was right.
        second_factor_denied,  // The password was right, the code wrong.
        denied,
        throttled,
    };
    Result result = Result::denied;
    std::string_view address;               // Where the client is.
    std::optional<model::PersonId> person;  // If the given address or session belongs to one.
};
inline constexpr std::size_t sign_in_results_count =
    static_cast<std::size_t>(SignInTry::Result::throttled) + 1;
/// "succeeded", "second_factor_asked", "second_factor_denied", "denied", "throttled"
[[nodiscard]] std::string_view to_string(SignInTry::Result result) noexcept;

/// Threads: any.
struct PeopleRooms {
    people::PasswordHasher& hasher;
    people::SignInThrottle& throttle;
    people::SessionLimits session_limits;
    /// The address at which people open the web app, without a final slash.
    std::function<std::string()> app_url;
    std::function<void(const SignInTry&)> on_try{};  // May be empty.
};

/// How long a sign-in link is valid.
inline constexpr std::chrono::minutes link_lasts{15};

}  // namespace merpati::api::manage
