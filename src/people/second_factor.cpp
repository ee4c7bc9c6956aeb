#include "people/second_factor.hpp"

#include "people/token.hpp"
#include "people/totp.hpp"
#include "store/people.hpp"

namespace merpati::people {

Result<void> begin_second_factor(store::PeopleTables& people, model::PersonId person,
                                 const Bytes& secret) {
    const auto now = people.find_person(person);
    if (!now) {
        return pass(now);
    }
    if (*now && (**now).has_second_factor) {
        return fail(ErrorCode::conflict, "there is a second factor: remove it first");
    }
    return people.begin_second_factor(person, secret);
}

Result<model::Person> confirm_second_factor(store::PeopleTables& people, model::PersonId person,
                                            std::string_view code,
                                            const std::vector<Sha256>& recovery_codes,
                                            Timestamp now) {
    const auto factor = people.find_second_factor(person);
    if (!factor) {
        return pass(factor);
    }
    if (!*factor || (**factor).confirmed) {
        return fail(ErrorCode::conflict, "no second factor waits to be confirmed");
    }
    const auto step = match_totp((**factor).secret, code, now);
    if (!step) {
        return fail(ErrorCode::refused,
                    "this is not the code of now: is the clock of the phone right?");
    }
    const auto accepted = people.accept_step(person, *step);
    return accepted ? people.confirm_second_factor(person, recovery_codes) : pass(accepted);
}

Result<bool> accept_code(store::PeopleTables& people, model::PersonId person, std::string_view code,
                         Timestamp now) {
    if (const auto recovery = recovery_digest(code)) {
        return people.take_recovery_code(person, *recovery);
    }
    const auto factor = people.find_second_factor(person);
    if (!factor) {
        return pass(factor);
    }
    const auto step = *factor ? match_totp((**factor).secret, code, now) : std::nullopt;
    return step ? people.accept_step(person, *step) : Result<bool>{false};
}

}  // namespace merpati::people
