#include "api/manage/people/session_answers.hpp"

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::sessions {
namespace {

/// 401 for a failed sign-in.
Outcome denied(std::string_view code, std::string_view detail) {
    auto refusal = problem(401, code, detail);
    refusal.headers = "WWW-Authenticate: Bearer\r\n";
    return refusal;
}

Outcome problem_of(const people::SignInEnd& end) {
    switch (end.result) {
        case people::SignInResult::throttled:
            return with_retry_after(
                problem(429, "too_many_requests", "too many tries: wait, or use a sign-in link"),
                end.wait);
        case people::SignInResult::second_factor_asked:
            return denied("totp_required", "give the code of the authenticator as `totp`");
        case people::SignInResult::second_factor_denied:
        case people::SignInResult::denied:
        case people::SignInResult::succeeded:
            break;
    }
    return denied("unauthenticated",
                  "the e-mail address, the password or the code is wrong, "
                  "or the link was used or has expired");
}

}  // namespace

boost::json::value answer_problem(Call& call, Outcome problem) {
    call.answer.status = problem.status;
    call.answer.headers += problem.headers;
    call.answer.content_type = problem.content_type;
    call.answer.text = std::move(problem.body);
    return nullptr;
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

people::SignInCall sign_in_call(const Context& context, Call& call) {
    return {.address = call.head.address,
            .agent = call.head.agent,
            .commit = [&](people::PersonChange begin) {
                return context.change([&](store::Tables& tables) -> Result<void> {
                    auto person = begin(tables);
                    if (!person) {
                        return pass(person);
                    }
                    call.principal = admission::Principal::of(
                        std::make_shared<const model::Person>(*std::move(person)));
                    return {};
                });
            }};
}

boost::json::value answer(const Context& context, Call& call, const people::SignInEnd& end) {
    if (end.result != people::SignInResult::succeeded) {
        return answer_problem(call, problem_of(end));
    }
    call.answer.headers +=
        set_cookie(end.token, call.head.is_secure, context.people.session_limits.longest);
    const auto person = context.directory.people().find(end.session.person);
    return view_of_session(context, person == nullptr ? *call.principal.person : *person,
                           end.session);
}

Result<boost::json::value> answer(const Context& context, Call& call,
                                  const Result<people::SignInEnd>& end) {
    return end ? Result<boost::json::value>{answer(context, call, *end)} : pass(end);
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
    const auto needed_from = session.by == model::SignIn::link
                                 ? session.created_at + people::recent_lasts
                                 : session.created_at;
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

}  // namespace merpati::api::manage::sessions
