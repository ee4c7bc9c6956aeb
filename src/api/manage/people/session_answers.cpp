#include "api/manage/people/session_answers.hpp"

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::sessions {

using people::Denial;
using people::SignInTry;

Outcome denied(std::string_view code, std::string_view detail) {
    auto refusal = problem(401, code, detail);
    refusal.headers = "WWW-Authenticate: Bearer\r\n";
    return refusal;
}

boost::json::value answer_problem(Call& call, Outcome problem) {
    call.answer.status = problem.status;
    call.answer.headers += problem.headers;
    call.answer.content_type = problem.content_type;
    call.answer.text = std::move(problem.body);
    return nullptr;
}

void report(const Context& context, const Call& call, SignInTry::Result result,
            std::optional<model::PersonId> person) {
    if (context.people.on_try) {
        context.people.on_try({.result = result, .address = call.head.address, .person = person});
    }
}

boost::json::value answer_wrong(const Context& context, Call& call,
                                std::optional<model::PersonId> person, SignInTry::Result result) {
    report(context, call, result, person);
    return answer_problem(call, denied("unauthenticated",
                                       "the e-mail address, the password or the code is wrong, "
                                       "or the link was used or has expired"));
}

boost::json::value answer_denial(const Context& context, Call& call, model::PersonId person,
                                 Denial denial) {
    if (denial != Denial::totp_required) {
        return answer_wrong(context, call, person,
                            denial == Denial::code_wrong ? SignInTry::Result::second_factor_denied
                                                         : SignInTry::Result::denied);
    }
    report(context, call, SignInTry::Result::second_factor_asked, person);
    return answer_problem(
        call, sessions::denied("totp_required", "give the code of the authenticator as `totp`"));
}

boost::json::value answer_too_many(const Context& context, Call& call,
                                   std::optional<model::PersonId> person,
                                   std::chrono::seconds wait) {
    report(context, call, SignInTry::Result::throttled, person);
    auto refusal = problem(429, "too_many_requests", "too many tries: wait, or use a sign-in link");
    return answer_problem(call, with_retry_after(std::move(refusal), wait));
}

std::optional<Outcome> check_way(const Call& call) {
    if (!call.head.is_own) {
        return not_own_request();
    }
    if (!call.head.may_sign_in) {
        return problem(403, "refused",
                       "people sign in over https: set http.tls.certificate and http.tls.key, or "
                       "app.url to the https address of a proxy before this server; a proxy on "
                       "another machine must add `X-Forwarded-Proto: https`");
    }
    return std::nullopt;
}

std::optional<model::Session> own_session(const Call& call) {
    return call.principal.session == nullptr ? std::nullopt
                                             : std::optional{call.principal.session->session()};
}

boost::json::object view_of_session(const Context& context, const model::Person& person,
                                    const model::Session& session) {
    const auto now = admission::principal_of(
        {.person = std::make_shared<const model::Person>(person), .session = nullptr},
        context.directory, context.clock.now());
    boost::json::array memberships;
    for (const auto& membership : person.memberships) {
        const auto account = context.directory.find_account(membership.account);
        const auto scopes = now.scopes_in(membership.account);
        memberships.push_back({{"account", membership.account.text()},
                               {"name", account == nullptr ? std::string{} : account->account.name},
                               {"role", model::to_string(membership.role)},
                               {"scopes", view(scopes)},
                               {"since", to_rfc3339(membership.since)}});
    }
    const auto found = context.directory.people().find_session(session.digest);
    const auto needed_from =
        session.by == model::SignIn::link ? session.created_at + recent : session.created_at;
    const auto& limits = context.people.session_limits;
    return {
        {"person",
         {{"id", person.id.text()},
          {"email", person.email},
          {"admin", person.is_admin},
          {"has_password", !person.password_hash.empty()},
          {"totp", person.has_second_factor},
          {"created_at", to_rfc3339(person.created_at)}}},
        {"memberships", std::move(memberships)},
        {"session",
         {{"id", session.id.text()},
          {"by", model::to_string(session.by)},
          {"created_at", to_rfc3339(session.created_at)},
          {"expires_at", to_rfc3339(found ? found->session->ends_at(limits) : session.created_at)},
          {"current_password_needed_from",
           person.password_hash.empty() ? nullptr : boost::json::value(to_rfc3339(needed_from))}}}};
}

boost::json::value answer_session(const Context& context, Call& call, const model::Session& session,
                                  std::string_view token) {
    report(context, call, SignInTry::Result::succeeded, session.person);
    call.answer.headers +=
        set_cookie(token, call.head.is_secure, context.people.session_limits.longest);
    const auto person = context.directory.people().find(session.person);
    return view_of_session(context, person == nullptr ? *call.principal.person : *person, session);
}

}  // namespace merpati::api::manage::sessions
