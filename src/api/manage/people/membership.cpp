#include "api/manage/people/membership.hpp"

#include <string>

#include <fmt/format.h>

#include "api/manage/people/person_fields.hpp"
#include "store/people.hpp"

namespace merpati::api::manage {

boost::json::object view_of_member(const model::Person& person, model::AccountId account) {
    boost::json::object shown{{"email", person.email}};
    for (const auto& membership : person.memberships) {
        if (membership.account == account) {
            shown["account"] = account.text();
            shown["role"] = model::to_string(membership.role);
            shown["since"] = to_rfc3339(membership.since);
        }
    }
    return shown;
}

std::optional<model::Role> take_role(Fields& fields) {
    const auto role = fields.word("role", model::parse_role, role_words);
    if (!role) {
        fields.mistake("role", "must be " + std::string{role_words});
    }
    return role;
}

Result<void> check_grant(const Call& call, model::AccountId account, model::Role role) {
    if (call.principal.scopes_in(account).contains(model::scopes_of(role))) {
        return {};
    }
    return fail(ErrorCode::forbidden, fmt::format("only who may do what the role {} may can give "
                                                  "or take it",
                                                  model::to_string(role)));
}

Result<void> check_room(store::Tables& tables, model::AccountId account) {
    const auto members = tables.people().count_members(account);
    if (!members) {
        return pass(members);
    }
    return *members < members_max
               ? Result<void>{}
               : fail(ErrorCode::refused, fmt::format("the account has {} people", members_max));
}

Result<std::optional<model::Person>> find_new_member(store::Tables& tables,
                                                     model::AccountId account,
                                                     std::string_view email) {
    if (auto room = check_room(tables, account); !room) {
        return pass(room);
    }
    auto known = tables.people().find_person(email);
    if (known && *known && (**known).role_in(account)) {
        return fail(ErrorCode::conflict,
                    "the account has this person already: change the role instead");
    }
    return known;
}

Result<void> check_owners(store::Tables& tables, model::AccountId account,
                          std::optional<model::Role> before) {
    if (before != model::Role::owner) {
        return {};
    }
    const auto left = tables.people().count_owners(account);
    if (!left) {
        return pass(left);
    }
    return *left > 0 ? Result<void>{}
                     : fail(ErrorCode::conflict, "the account would have no owner any more");
}

bool is_unused(const model::Person& person) {
    return person.memberships.empty() && !person.is_admin && person.password_hash.empty();
}

Result<void> forget_if_unused(store::Tables& tables, const model::Person& person) {
    return is_unused(person) ? tables.people().remove_person(person.id) : Result<void>{};
}

}  // namespace merpati::api::manage
