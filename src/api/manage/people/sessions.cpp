// Signing in and out, and a person's own sessions.
#include <fmt/format.h>

#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "api/manage/people/session_begin.hpp"
#include "people/email.hpp"
#include "people/password.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::sessions {
namespace {

using boost::json::object;
using boost::json::value;
using people::Candidate;
using people::Denial;

Result<value> begin(const Context& context, Call& call, Candidate candidate) {
    const auto wait = take_code(context, call, candidate);
    if (wait > std::chrono::seconds{0}) {
        return answer_too_many(context, call, candidate.person.id, wait);
    }
    const auto token = people::make_token(context.random);
    auto session = new_session(context, call, model::SignIn::password, token);
    auto denial = Denial::none;
    call.principal = admission::Principal::of(std::make_shared<model::Person>(candidate.person));
    const auto committed = context.change([&](store::Tables& tables) -> Result<void> {
        denial = Denial::none;
        const auto decided = people::begin_in(tables, candidate, session, session.created_at);
        if (!decided) {
            return pass(decided);
        }
        denial = *decided;
        // The error rolls back what a failed sign-in has written.
        return denial == Denial::none ? Result<void>{} : fail(ErrorCode::refused, "denied");
    });
    if (denial != Denial::none) {
        return answer_denial(context, call, candidate.person.id, denial);
    }
    if (!committed) {
        return pass(committed);
    }
    context.people.throttle.succeeded(candidate.person.email, call.head.address,
                                      candidate.is_known_address);
    return answer_session(context, call, session, token);
}

}  // namespace

Result<value> sign_in(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto given = fields.required_text("email", people::email_bytes_max + 2);
    const auto password = fields.required_text("password", people::password_bytes_max);
    const auto code = fields.text("totp", code_bytes_max);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    if (auto refusal = check_way(call)) {
        return answer_problem(call, *std::move(refusal));
    }
    const auto email = people::normalised_email(given).value_or(given);
    const auto& directory = context.directory.people();
    const auto person = directory.find(std::string_view{email});
    const auto id = person == nullptr ? std::nullopt : std::optional{person->id};
    // Unknown people are looked up alike: the time of the answer must not tell who exists.
    const bool is_known_address =
        directory.has_session_from(id.value_or(model::PersonId{}), call.head.address);
    const auto wait = context.people.throttle.take(email, call.head.address, is_known_address,
                                                   context.clock.steady_now());
    if (wait > std::chrono::seconds{0}) {
        return answer_too_many(context, call, id, wait);
    }
    const auto hash = person == nullptr ? std::string{} : person->password_hash;
    const auto is_right = context.people.hasher.verify(hash, password);
    if (!is_right) {
        return pass(is_right);
    }
    if (!*is_right) {
        return answer_wrong(context, call, id);
    }
    Candidate candidate{
        .person = *person, .is_known_address = is_known_address, .new_hash = {}, .code = code};
    if (context.people.hasher.is_outdated(hash)) {
        auto renewed = context.people.hasher.hash(password);
        candidate.new_hash = renewed ? std::optional{std::move(*renewed)} : std::nullopt;
    }
    return begin(context, call, std::move(candidate));
}

/// A link needs no password and no second factor, because only an administrator can make one.
Result<value> use_link(const Context& context, Call& call) {
    const auto text = call.fields.required_text("token", token_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (auto refusal = check_way(call)) {
        return answer_problem(call, *std::move(refusal));
    }
    const auto wait = context.people.throttle.take(call.head.address, context.clock.steady_now());
    if (wait > std::chrono::seconds{0}) {
        return answer_too_many(context, call, std::nullopt, wait);
    }
    const auto digest = people::token_digest(text);
    if (!digest) {
        return answer_wrong(context, call, std::nullopt);
    }
    const auto token = people::make_token(context.random);
    auto session = new_session(context, call, model::SignIn::link, token);
    bool denied = false;
    const auto committed = context.change([&](store::Tables& tables) -> Result<void> {
        denied = false;
        auto& people = tables.people();
        const auto owner = people.take_link(*digest, session.created_at);
        const auto person =
            owner && *owner ? people.find_person(**owner) : Result<std::optional<model::Person>>{};
        if (!owner || !person) {
            return owner ? pass(person) : pass(owner);
        }
        denied = !*person;
        if (denied) {
            return fail(ErrorCode::refused, "denied");
        }
        call.principal = admission::Principal::of(std::make_shared<model::Person>(**person));
        session.person = (**person).id;
        auto begun = people.create_session(session);
        if (!begun) {
            return pass(begun);
        }
        session = std::move(*begun);
        return {};
    });
    if (denied) {
        return answer_wrong(context, call, std::nullopt);
    }
    return committed ? Result<value>{answer_session(context, call, session, token)}
                     : pass(committed);
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
