// Sessions that begin with a call.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "model/person.hpp"
#include "people/sign_in.hpp"

namespace merpati::api::manage::sessions {

/// Of the token of a link, as a request gives it.
inline constexpr std::size_t token_bytes_max = 128;

/// A session from the call's address that begins now, without a person.
[[nodiscard]] model::Session new_session(const Context& context, const Call& call, model::SignIn by,
                                         std::string_view token);

/// Takes a try of a code of the second factor, if there is one to check; the same for each way to
/// sign in (SignInThrottle::take_code). Call before `people::begin_in`. 0: it may be made;
/// otherwise the wait.
[[nodiscard]] std::chrono::seconds take_code(const Context& context, const Call& call,
                                             const people::Candidate& candidate);

}  // namespace merpati::api::manage::sessions
