#include "people/sign_in.hpp"

#include "people/token.hpp"
#include "people/totp.hpp"
#include "store/people.hpp"

namespace merpati::people {
namespace {

/// Checks the second factor inside the transaction, so that each code is accepted once.
Result<Denial> check_second_factor(store::PeopleTables& people, const model::Person& person,
                                   const std::optional<std::string>& code, Timestamp now) {
    if (!person.has_second_factor) {
        return Denial::none;
    }
    if (!code) {
        return Denial::totp_required;
    }
    if (const auto recovery = people::recovery_digest(*code)) {
        const auto taken = people.take_recovery_code(person.id, *recovery);
        return taken ? Result<Denial>{*taken ? Denial::none : Denial::code_wrong} : pass(taken);
    }
    const auto factor = people.find_second_factor(person.id);
    if (!factor) {
        return pass(factor);
    }
    const auto step = *factor ? people::match_totp((**factor).secret, *code, now) : std::nullopt;
    if (!step) {
        return Denial::code_wrong;
    }
    const auto accepted = people.accept_step(person.id, *step);
    return accepted ? Result<Denial>{*accepted ? Denial::none : Denial::code_wrong}
                    : pass(accepted);
}

}  // namespace

std::string_view to_string(SignInTry::Result result) noexcept {
    switch (result) {
        case SignInTry::Result::succeeded:
            return "succeeded";
        case SignInTry::Result::second_factor_asked:
            return "second_factor_asked";
        case SignInTry::Result::second_factor_denied:
            return "second_factor_denied";
        case SignInTry::Result::denied:
            return "denied";
        case SignInTry::Result::throttled:
            return "throttled";
    }
    return "denied";
}

Result<Denial> begin_in(store::Tables& tables, const Candidate& candidate, model::Session& session,
                        Timestamp now) {
    auto& people = tables.people();
    const auto found = people.find_person(candidate.person.id);
    if (!found) {
        return pass(found);
    }
    if (!*found || (**found).password_hash != candidate.person.password_hash) {
        return Denial::wrong;
    }
    const auto denial = check_second_factor(people, **found, candidate.code, now);
    if (!denial || *denial != Denial::none) {
        return denial;
    }
    if (candidate.new_hash) {
        if (auto kept = people.update_person((**found).id, {.password_hash = candidate.new_hash});
            !kept) {
            return pass(kept);
        }
    }
    session.person = (**found).id;
    auto begun = people.create_session(session);
    if (!begun) {
        return pass(begun);
    }
    session = std::move(*begun);
    return Denial::none;
}

}  // namespace merpati::people
