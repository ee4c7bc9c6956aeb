// Answers of operations on sessions, and checks of their requests.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/engine/context.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/manage/people/session_begin.hpp"

namespace merpati::api::manage::sessions {

/// How long after a sign-in by a link the present password may be left out.
inline constexpr std::chrono::minutes recent{15};

/// 401 for a failed sign-in.
[[nodiscard]] Outcome denied(std::string_view code, std::string_view detail);

/// Answers a problem from a handler, for a status or a code that no Error has.
[[nodiscard]] boost::json::value answer_problem(Call& call, Outcome problem);

/// Calls PeopleRooms::on_try. `person`: the one that the given address or session belongs to.
void report(const Context& context, const Call& call, people::SignInTry::Result result,
            std::optional<model::PersonId> person);

/// Reports a denied attempt. The text is the same for a wrong address, password, code or link.
[[nodiscard]] boost::json::value answer_wrong(
    const Context& context, Call& call, std::optional<model::PersonId> person,
    people::SignInTry::Result result = people::SignInTry::Result::denied);
/// The same for a sign-in that was denied in its transaction.
[[nodiscard]] boost::json::value answer_denial(const Context& context, Call& call,
                                               model::PersonId person, people::Denial denial);
/// Reports a throttled attempt.
[[nodiscard]] boost::json::value answer_too_many(const Context& context, Call& call,
                                                 std::optional<model::PersonId> person,
                                                 std::chrono::seconds wait);

/// Checks a request that opens a session. Empty: it may. It must come from a page of this server,
/// because another site could otherwise sign its visitors in as another person. And the password
/// must not cross the network unencrypted (AppAddress::may_sign_in).
[[nodiscard]] std::optional<Outcome> check_way(const Call& call);

/// The session with which the call was made; empty for other callers.
[[nodiscard]] std::optional<model::Session> own_session(const Call& call);

[[nodiscard]] boost::json::object view_of_session(const Context& context,
                                                  const model::Person& person,
                                                  const model::Session& session);

/// Answers a new session and sets its cookie. Reports a successful attempt.
[[nodiscard]] boost::json::value answer_session(const Context& context, Call& call,
                                                const model::Session& session,
                                                std::string_view token);

}  // namespace merpati::api::manage::sessions
