// Calls on a person of an account: a contact or a suppression, by number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "model/contact.hpp"

namespace merpati::api::manage {

/// The number in the call's path. Errors: not_found (it is none).
[[nodiscard]] Result<model::PhoneNumber> person_of(const Call& call);

/// Viewers see masked numbers: answers must not tell them whether a number is there. Errors:
/// forbidden.
[[nodiscard]] Result<void> check_sees_people(const Call& call, model::AccountId account);

/// Whose record a call asks for.
struct AskedPerson {
    model::AccountId account;
    model::PhoneNumber number;
};
/// Of a call with the field `account` alone and a number in its path, whose caller sees people.
/// Errors: those of its fields, of find_own_account and of the functions above.
[[nodiscard]] Result<AskedPerson> take_asked_person(const Context& context, Call& call);
/// The same inside a change, by a caller who may change people. Errors: those of find_own_account
/// and person_of.
[[nodiscard]] Result<AskedPerson> find_asked_person(store::Tables& tables, Call& call,
                                                    const std::optional<std::string>& account);

/// The position of a number in a list, as its cursor has it: encrypted, because viewers see masked
/// numbers.
class NumberCursor {
public:
    explicit NumberCursor(const store::Fingerprints& store) : store_(store) {}

    [[nodiscard]] std::string text(model::PhoneNumber number) const;
    [[nodiscard]] std::optional<std::string> text(std::optional<model::PhoneNumber> number) const {
        return number.transform([this](auto known) { return text(known); });
    }
    [[nodiscard]] std::optional<model::PhoneNumber> parse(std::string_view text) const;

private:
    enum class Direction : std::uint8_t { forward, back };
    [[nodiscard]] std::uint64_t permuted(std::uint64_t block, Direction direction) const;
    [[nodiscard]] std::uint32_t mixed(int round, std::uint32_t half) const;

    const store::Fingerprints& store_;
};

/// For a viewer, the number is masked, and the values are null.
[[nodiscard]] boost::json::object view(const model::Contact& contact,
                                       const admission::Principal& viewer);
[[nodiscard]] boost::json::object view(const model::Suppression& suppression,
                                       const admission::Principal& viewer);

}  // namespace merpati::api::manage
