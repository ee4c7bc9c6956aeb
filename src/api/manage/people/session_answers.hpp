// Answers of operations on sessions, and checks of their requests.
#pragma once

#include <optional>

#include <boost/json/object.hpp>

#include "api/manage/engine/context.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/problem.hpp"
#include "people/sign_in.hpp"

namespace merpati::api::manage::sessions {

/// Answers a problem from a handler, for a status or a code that no Error has.
[[nodiscard]] boost::json::value answer_problem(Call& call, Outcome problem);

/// Checks a request that opens a session. Empty: it may. It must come from a page of this server,
/// because another site could otherwise sign its visitors in as another person. And the password
/// must not cross the network unencrypted (AppAddress::may_sign_in).
[[nodiscard]] std::optional<Outcome> check_way(const Call& call);

/// The call for people::SignIn. The log of changes names the person whom it signs in.
[[nodiscard]] people::SignInCall sign_in_call(const Context& context, Call& call);

/// Answers the new session and sets its cookie, or answers why there is none. The text is the same
/// for a wrong address, password, code or link.
[[nodiscard]] boost::json::value answer(const Context& context, Call& call,
                                        const people::SignInEnd& end);
[[nodiscard]] Result<boost::json::value> answer(const Context& context, Call& call,
                                                const Result<people::SignInEnd>& end);

/// The session with which the call was made; empty for other callers.
[[nodiscard]] std::optional<model::Session> own_session(const Call& call);

[[nodiscard]] boost::json::object view_of_session(const Context& context,
                                                  const model::Person& person,
                                                  const model::Session& session);

}  // namespace merpati::api::manage::sessions
