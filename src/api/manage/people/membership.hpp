// Rules of memberships, which members, invitations and people themselves change.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "model/person.hpp"

namespace merpati::api::manage {

/// The most people that an account can have.
inline constexpr std::size_t members_max = 1'000;

/// A person as another member sees it: nothing of other accounts, and no id, because its number
/// would reveal whether the person was known before.
[[nodiscard]] boost::json::object view_of_member(const model::Person& person,
                                                 model::AccountId account);

/// Takes the field `role`, which must be given.
[[nodiscard]] std::optional<model::Role> take_role(Fields& fields);

/// The caller must have all scopes of a role to give or take it. Errors: forbidden.
[[nodiscard]] Result<void> check_grant(const Call& call, model::AccountId account,
                                       model::Role role);

/// Errors: refused (the account has members_max people).
[[nodiscard]] Result<void> check_room(store::Tables& tables, model::AccountId account);

/// The person with the address, who may become a member; empty: there is none yet. Errors: refused
/// (as `check_room`), conflict (the person is a member).
[[nodiscard]] Result<std::optional<model::Person>> find_new_member(store::Tables& tables,
                                                                   model::AccountId account,
                                                                   std::string_view email);

/// Call after a person who had the role `before` lost it. Errors: conflict (the account has no
/// owner any more).
[[nodiscard]] Result<void> check_owners(store::Tables& tables, model::AccountId account,
                                        std::optional<model::Role> before);

/// Whether nothing depends on the person: no membership, no password, no administrator.
[[nodiscard]] bool is_unused(const model::Person& person);
/// Removes a person of whom is_unused is true.
[[nodiscard]] Result<void> forget_if_unused(store::Tables& tables, const model::Person& person);

}  // namespace merpati::api::manage
