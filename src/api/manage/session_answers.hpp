// What operations on sessions answer, and what they ask of a request.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/context.hpp"
#include "api/manage/handlers.hpp"
#include "api/manage/problem.hpp"

namespace merpati::api::manage::sessions {

/// 401 of somebody who wants to sign in.
[[nodiscard]] Outcome denied(std::string_view code, std::string_view detail);

/// A refusal with a status that no Error has.
[[nodiscard]] boost::json::value answer_problem(Call& call, Outcome problem);

/// Tells PeopleRooms::on_try. `person`: whom what was given names, if anybody.
void report(const Context& context, const Call& call, SignInTry::Result result,
            std::optional<model::PersonId> person);

// Both report the try.
/// The same words for whatever was wrong with the address, the password, the code or the link.
[[nodiscard]] boost::json::value answer_wrong(const Context& context, Call& call,
                                              std::optional<model::PersonId> person);
[[nodiscard]] boost::json::value answer_too_many(const Context& context, Call& call,
                                                 std::optional<model::PersonId> person,
                                                 std::chrono::seconds wait);

/// Of a request that opens a session: empty where it may. It must come from a page of this server
/// (else another site could sign its visitors in as somebody else), and the password must not
/// cross the network in the clear.
[[nodiscard]] std::optional<Outcome> check_way(const Call& call);

/// The session by which the call was made; empty for a key and for the local operator.
[[nodiscard]] std::optional<model::Session> own_session(const Call& call);

[[nodiscard]] boost::json::object view_of_session(const Context& context,
                                                  const model::Person& person,
                                                  const model::Session& session);

/// The session that has begun, with its cookie. Reports the try.
[[nodiscard]] boost::json::value answer_session(const Context& context, Call& call,
                                                const model::Session& session,
                                                std::string_view token);

}  // namespace merpati::api::manage::sessions
