// Changes that people make to their own password and second factor.
#include <fmt/format.h>

#include "api/manage/engine/views.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "people/password.hpp"
#include "people/second_factor.hpp"
#include "people/token.hpp"
#include "people/totp.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::sessions {
namespace {

using boost::json::object;
using boost::json::value;

/// Asks for the present password (people::SignIn::confirm). Empty: the person has confirmed.
std::optional<Outcome> refuse_unconfirmed(const Context& context, const Call& call,
                                          const model::Session& session,
                                          const std::optional<std::string>& current) {
    const auto end =
        context.people.sign_in.confirm(*call.principal.person, session, current, call.head.address);
    if (!end) {
        return problem(end.error(), false);
    }
    if (end->result == people::SignInResult::throttled) {
        return with_retry_after(problem(429, "too_many_requests", "too many tries: wait"),
                                end->wait);
    }
    return end->result == people::SignInResult::succeeded
               ? std::nullopt
               : std::optional{
                     problem(403, "wrong_password", "`current` must be the present password")};
}

}  // namespace

Result<value> change_password(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto current = take_password(fields, "current");
    const auto wanted = fields.required_text("password", people::password_bytes_max);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    if (!session) {
        return answer_problem(call, unauthenticated());
    }
    if (auto refusal = refuse_unconfirmed(context, call, *session, current)) {
        return answer_problem(call, *std::move(refusal));
    }
    const auto& before = *call.principal.person;
    auto password = hash_password(context, fields, "password", wanted, before.email);
    if (!password) {
        return pass(password);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            auto& people = tables.people();
            const auto now = people.find_person(before.id);
            if (!now) {
                return pass(now);
            }
            if (!*now || (**now).password_hash != before.password_hash) {
                return fail(ErrorCode::conflict, "the password was changed meanwhile");
            }
            if (auto ended = people::end_access(people, before.id, session->id); !ended) {
                return pass(ended);
            }
            return people.update_person(before.id, {.password_hash = password->hash});
        },
        [&](const model::Person& person) { return view_of_session(context, person, *session); });
}

Result<value> begin_totp(const Context& context, Call& call) {
    const auto current = take_password(call.fields, "current");
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    if (!session) {
        return answer_problem(call, unauthenticated());
    }
    if (auto refusal = refuse_unconfirmed(context, call, *session, current)) {
        return answer_problem(call, *std::move(refusal));
    }
    const auto secret = people::make_totp_secret(context.random);
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<bool> {
            auto begun = people::begin_second_factor(tables.people(), session->person, secret);
            return begun ? Result<bool>{true} : pass(begun);
        },
        [&](bool) {
            return object{{"secret", people::to_base32(secret)},
                          {"uri", people::totp_uri(call.principal.person->email, secret)}};
        });
}

Result<value> confirm_totp(const Context& context, Call& call) {
    const auto code = call.fields.required_text("code", code_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    if (!session) {
        return answer_problem(call, unauthenticated());
    }
    const auto codes = people::make_recovery_codes(context.random);
    std::vector<Sha256> digests;
    digests.reserve(codes.size());
    for (const auto& one : codes) {
        digests.push_back(*people::recovery_digest(one));
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) {
            return people::confirm_second_factor(tables.people(), session->person, code, digests,
                                                 now);
        },
        [&](const model::Person&) {
            boost::json::array shown;
            for (const auto& one : codes) {
                shown.emplace_back(one);
            }
            return object{{"recovery_codes", std::move(shown)}};
        });
}

/// Only within 15 minutes after a sign-in, so that someone with access to a signed-in browser
/// cannot do it.
Result<value> remove_totp(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = own_session(call);
    if (!session) {
        return answer_problem(call, unauthenticated());
    }
    if (!people::is_recent(*session, context.clock.now())) {
        return fail(ErrorCode::refused, "sign in again first: the session is not of now");
    }
    return context.commit_and_show(
        [&](store::Tables& tables) {
            return tables.people().remove_second_factor(session->person);
        },
        [&](const model::Person& person) { return view_of_session(context, person, *session); });
}

}  // namespace merpati::api::manage::sessions
