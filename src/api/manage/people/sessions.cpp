// Signing in and out, and a person's own sessions.
#include <fmt/format.h>

#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "people/email.hpp"
#include "people/password.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::sessions {

using boost::json::object;
using boost::json::value;

Result<value> sign_in(const Context& context, Call& call) {
    auto& fields = call.fields;
    const people::Credentials given{
        .email = fields.required_text("email", people::email_bytes_max + 2),
        .password = fields.required_text("password", people::password_bytes_max),
        .code = fields.text("totp", code_bytes_max)};
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    if (auto refusal = check_way(call)) {
        return answer_problem(call, *std::move(refusal));
    }
    return answer(context, call,
                  context.people.sign_in.by_password(given, sign_in_call(context, call)));
}

Result<value> use_link(const Context& context, Call& call) {
    const auto token = call.fields.required_text("token", token_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (auto refusal = check_way(call)) {
        return answer_problem(call, *std::move(refusal));
    }
    return answer(context, call,
                  context.people.sign_in.by_link(token, sign_in_call(context, call)));
}

Result<value> show(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    return session ? Result<value>{view_of_session(context, *call.principal.person, *session)}
                   : answer_problem(call, unauthenticated());
}

Result<value> sign_out(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    if (!session) {
        return answer_problem(call, unauthenticated());
    }
    call.answer.headers += clear_cookie(call.head.is_secure);
    return context.commit_and_show(
        [&](store::Tables& tables) { return tables.people().end_session(session->id); },
        [](bool ended) { return object{{"ended", ended ? 1 : 0}}; });
}

Result<value> list(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto own = own_session(call);
    if (!own) {
        return answer_problem(call, unauthenticated());
    }
    const auto& limits = context.people.session_limits;
    boost::json::array items;
    for (const auto& entry : context.directory.people().sessions_of(own->person)) {
        if (!entry->is_live(limits, context.clock.now())) {
            continue;
        }
        const auto& session = entry->session();
        items.push_back({{"id", session.id.text()},
                         {"current", session.id == own->id},
                         {"by", model::to_string(session.by)},
                         {"address", session.address},
                         {"agent", session.agent},
                         {"created_at", to_rfc3339(session.created_at)},
                         {"seen_at", to_rfc3339(entry->seen_at())},
                         {"expires_at", to_rfc3339(entry->ends_at(limits))}});
    }
    return page(std::move(items));
}

/// Ends one of the person's sessions; with the id `others`, all except the caller's.
Result<value> end(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto own = own_session(call);
    if (!own) {
        return answer_problem(call, unauthenticated());
    }
    const auto id = model::SessionId::parse(call.id);
    const bool others = call.id == "others";
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<std::size_t> {
            auto& people = tables.people();
            if (others) {
                return people.end_sessions(own->person, own->id);
            }
            const auto found =
                id ? people.find_session(*id) : Result<std::optional<model::Session>>{std::nullopt};
            if (!found) {
                return pass(found);
            }
            if (!*found || (**found).person != own->person) {
                return fail(ErrorCode::not_found, fmt::format("there is no session {}", call.id));
            }
            const auto ended = people.end_session(*id);
            return ended ? Result<std::size_t>{1} : pass(ended);
        },
        [](std::size_t ended) { return object{{"ended", ended}}; });
}

}  // namespace merpati::api::manage::sessions
