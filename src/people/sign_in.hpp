// When a session of a person begins, and why it does not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/person.hpp"
#include "store/tables.hpp"

namespace merpati::people {

/// How long a sign-in link is valid.
inline constexpr std::chrono::minutes link_lasts{15};

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

/// Why a sign-in failed. The answer shows a difference only if the password was right.
enum class Denial : std::uint8_t { none, wrong, code_wrong, totp_required };

/// A person whose password was right when it was checked, before the transaction.
struct Candidate {
    model::Person person;
    bool is_known_address = false;
    std::optional<std::string> new_hash;  // If the old one has outdated parameters.
    std::optional<std::string> code;      // Of the second factor.
};

/// Decides and begins the session in the transaction: the password may have been changed since it
/// was checked. Each code of a second factor is accepted once.
[[nodiscard]] Result<Denial> begin_in(store::Tables& tables, const Candidate& candidate,
                                      model::Session& session, Timestamp now);

}  // namespace merpati::people
