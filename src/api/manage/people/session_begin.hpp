// Begins sessions of people, in the transaction that decides whether they may.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "model/person.hpp"

namespace merpati::api::manage::sessions {

/// Of the token of a link, as a request gives it.
inline constexpr std::size_t token_bytes_max = 128;

/// Why a sign-in failed. The answer shows a difference only if the password was right.
enum class Denial : std::uint8_t { none, wrong, code_wrong, totp_required };

/// A session from the call's address that begins now, without a person.
[[nodiscard]] model::Session new_session(const Context& context, const Call& call, model::SignIn by,
                                         std::string_view token);

/// A person whose password was right when it was checked, before the transaction.
struct Candidate {
    model::Person person;
    bool is_known_address = false;
    std::optional<std::string> new_hash;  // If the old one has outdated parameters.
    std::optional<std::string> code;      // Of the second factor.
};

/// Takes a try of a code of the second factor, if there is one to check; the same for each way to
/// sign in (SignInThrottle::take_code). Call before `begin_in`. 0: it may be made; otherwise the
/// wait.
[[nodiscard]] std::chrono::seconds take_code(const Context& context, const Call& call,
                                             const Candidate& candidate);

/// Decides and begins the session in the transaction: the password may have been changed since it
/// was checked. Each code of a second factor is accepted once.
[[nodiscard]] Result<Denial> begin_in(store::Tables& tables, const Candidate& candidate,
                                      model::Session& session, Timestamp now);

}  // namespace merpati::api::manage::sessions
