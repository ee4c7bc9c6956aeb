#include "people/sign_in.hpp"

#include <utility>

#include "people/email.hpp"
#include "people/second_factor.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::people {
namespace {

using namespace std::chrono_literals;

Result<SignInResult> check_second_factor(store::PeopleTables& people, const model::Person& person,
                                         const std::optional<std::string>& code, Timestamp now) {
    if (!person.has_second_factor) {
        return SignInResult::succeeded;
    }
    if (!code) {
        return SignInResult::second_factor_asked;
    }
    const auto accepted = accept_code(people, person.id, *code, now);
    if (!accepted) {
        return pass(accepted);
    }
    return *accepted ? SignInResult::succeeded : SignInResult::second_factor_denied;
}

}  // namespace

bool is_recent(const model::Session& session, Timestamp now) noexcept {
    return now < session.created_at + recent_lasts;
}

Result<void> end_access(store::PeopleTables& people, model::PersonId person,
                        std::optional<model::SessionId> kept) {
    const auto ended = people.end_sessions(person, kept);
    return ended ? people.remove_links(person) : pass(ended);
}

std::string_view to_string(SignInResult result) noexcept {
    switch (result) {
        case SignInResult::succeeded:
            return "succeeded";
        case SignInResult::second_factor_asked:
            return "second_factor_asked";
        case SignInResult::second_factor_denied:
            return "second_factor_denied";
        case SignInResult::denied:
            return "denied";
        case SignInResult::throttled:
            return "throttled";
    }
    return "denied";
}

SignIn::SignIn(const Clock& clock, Random& random, const PeopleDirectory& directory,
               Listener on_try, PasswordHasher::Cost cost)
    : clock_(clock),
      random_(random),
      directory_(directory),
      on_try_(std::move(on_try)),
      hasher_(cost),
      throttle_(random) {}

Result<SignInEnd> SignIn::by_password(const Credentials& given, const SignInCall& call) {
    const auto email = normalised_email(given.email).value_or(given.email);
    const auto person = directory_.find(std::string_view{email});
    const auto id = person == nullptr ? std::nullopt : std::optional{person->id};
    // Unknown people are looked up alike: the time of the answer must not tell who exists.
    const bool is_known_address =
        directory_.has_session_from(id.value_or(model::PersonId{}), call.address);
    const auto throttled = [&](std::chrono::seconds wait) {
        return report({.result = SignInResult::throttled, .wait = wait}, call.address, id);
    };
    const auto wait = throttle_.take(email, call.address, is_known_address, clock_.steady_now());
    if (wait > 0s) {
        return throttled(wait);
    }
    const auto hash = person == nullptr ? std::string{} : person->password_hash;
    const auto is_right = hasher_.verify(hash, given.password);
    if (!is_right) {
        return pass(is_right);
    }
    if (!*is_right) {
        return report({.result = SignInResult::denied}, call.address, id);
    }
    std::optional<std::string> new_hash;
    if (hasher_.is_outdated(hash)) {
        auto renewed = hasher_.hash(given.password);
        new_hash = renewed ? std::optional{std::move(*renewed)} : std::nullopt;
    }
    if (person->has_second_factor && given.code) {
        const auto code_wait =
            throttle_.take_code(email, call.address, is_known_address, clock_.steady_now());
        if (code_wait > 0s) {
            return throttled(code_wait);
        }
    }
    auto end =
        begin(call, model::SignIn::password, id, [&, now = clock_.now()](store::Tables& tables) {
            return decide(tables.people(), *person, new_hash, given.code, now);
        });
    if (end && end->result == SignInResult::succeeded) {
        throttle_.succeeded(email, call.address, is_known_address);
    }
    return end;
}

/// The password may have been changed since it was checked.
Result<SignIn::Decided> SignIn::decide(store::PeopleTables& people, const model::Person& checked,
                                       const std::optional<std::string>& new_hash,
                                       const std::optional<std::string>& code, Timestamp now) {
    auto found = people.find_person(checked.id);
    if (!found) {
        return pass(found);
    }
    if (!*found || (**found).password_hash != checked.password_hash) {
        return Decided{std::unexpect, SignInResult::denied};
    }
    const auto result = check_second_factor(people, **found, code, now);
    if (!result) {
        return pass(result);
    }
    if (*result != SignInResult::succeeded) {
        return Decided{std::unexpect, *result};
    }
    auto person = new_hash ? people.update_person(checked.id, {.password_hash = new_hash})
                           : Result<model::Person>{**std::move(found)};
    return person ? Result<Decided>{*std::move(person)} : pass(person);
}

Result<SignInEnd> SignIn::by_link(std::string_view token, const SignInCall& call) {
    if (auto throttled = take_try(call.address)) {
        return *std::move(throttled);
    }
    const auto digest = token_digest(token);
    if (!digest) {
        return report({.result = SignInResult::denied}, call.address, std::nullopt);
    }
    return begin(call, model::SignIn::link, std::nullopt,
                 [&, now = clock_.now()](store::Tables& tables) -> Result<Decided> {
                     auto& people = tables.people();
                     const auto owner = people.take_link(*digest, now);
                     if (!owner) {
                         return pass(owner);
                     }
                     auto person = *owner ? people.find_person(**owner)
                                          : Result<std::optional<model::Person>>{};
                     if (!person) {
                         return pass(person);
                     }
                     return *person ? Decided{**std::move(person)}
                                    : Decided{std::unexpect, SignInResult::denied};
                 });
}

Result<SignInEnd> SignIn::by_new_password(const SignInCall& call, PersonChange set) {
    return begin(call, model::SignIn::password, std::nullopt,
                 [&](store::Tables& tables) -> Result<Decided> {
                     auto person = set(tables);
                     return person ? Result<Decided>{*std::move(person)} : pass(person);
                 });
}

std::optional<SignInEnd> SignIn::take_try(std::string_view address) {
    const auto wait = throttle_.take(address, clock_.steady_now());
    return wait > 0s ? std::optional{report({.result = SignInResult::throttled, .wait = wait},
                                            address, std::nullopt)}
                     : std::nullopt;
}

Result<SignInEnd> SignIn::confirm(const model::Person& person, const model::Session& session,
                                  const std::optional<std::string>& password,
                                  std::string_view address) {
    const bool by_link = session.by == model::SignIn::link && is_recent(session, clock_.now());
    if (!password && (person.password_hash.empty() || by_link)) {
        return SignInEnd{.result = SignInResult::succeeded};
    }
    const auto wait = throttle_.take(person.email, address, true, clock_.steady_now());
    if (wait > 0s) {
        return report({.result = SignInResult::throttled, .wait = wait}, address, person.id);
    }
    const auto is_right = password ? hasher_.verify(person.password_hash, *password) : false;
    if (!is_right) {
        return pass(is_right);
    }
    if (!*is_right) {
        return report({.result = SignInResult::denied}, address, person.id);
    }
    throttle_.succeeded(person.email, address, true);
    return SignInEnd{.result = SignInResult::succeeded};
}

Result<SignInEnd> SignIn::begin(const SignInCall& call, model::SignIn by,
                                std::optional<model::PersonId> named, Decide decide) {
    auto token = make_token(random_);
    const auto now = clock_.now();
    model::Session session{.digest = *token_digest(token),
                           .by = by,
                           .address = std::string{call.address},
                           .agent = std::string{call.agent},
                           .created_at = now,
                           .seen_at = now};
    std::optional<SignInResult> denial;
    const auto committed = call.commit([&](store::Tables& tables) -> Result<model::Person> {
        denial.reset();
        auto decided = decide(tables);
        if (!decided) {
            return pass(decided);
        }
        if (!*decided) {
            denial = decided->error();
            return fail(ErrorCode::refused, "denied");  // Rolls back what was written.
        }
        session.person = (**decided).id;
        auto begun = tables.people().create_session(session);
        if (!begun) {
            return pass(begun);
        }
        session = std::move(*begun);
        return **std::move(decided);
    });
    if (denial) {
        return report({.result = *denial}, call.address, named);
    }
    if (!committed) {
        return pass(committed);
    }
    const auto person = session.person;
    return report({.result = SignInResult::succeeded,
                   .session = std::move(session),
                   .token = std::move(token)},
                  call.address, person);
}

SignInEnd SignIn::report(SignInEnd end, std::string_view address,
                         std::optional<model::PersonId> person) const {
    if (on_try_) {
        on_try_({.result = end.result, .address = address, .person = person});
    }
    return end;
}

}  // namespace merpati::people
