// The people of an account, as its owners manage them.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "api/manage/listing.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/person_fields.hpp"
#include "api/manage/views.hpp"
#include "people/email.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::people_of_account {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t members_max = 1'000;
constexpr std::string_view list_name = "members";

/// A person as another member sees it: nothing of other accounts, and no id, because its number
/// would reveal whether the person was known before.
object member(const model::Person& person, model::AccountId account) {
    object shown{{"email", person.email}};
    for (const auto& membership : person.memberships) {
        if (membership.account == account) {
            shown["account"] = account.text();
            shown["role"] = std::string{model::to_string(membership.role)};
            shown["since"] = to_rfc3339(membership.since);
        }
    }
    return shown;
}

struct Member {
    model::Person person;
    model::AccountId account;
    object shown;
};

/// The caller must have all scopes of a role to give or take it.
Result<void> check_grant(const Call& call, model::AccountId account, model::Role role) {
    if (call.principal.scopes_in(account).contains(model::scopes_of(role))) {
        return {};
    }
    return fail(ErrorCode::forbidden, fmt::format("only who may do what the role {} may can give "
                                                  "or take it",
                                                  model::to_string(role)));
}

/// Refuses to take the role of the account's last owner, except for an administrator of the server.
/// Call after the change; `before` is the member before it.
Result<void> check_owners(store::Tables& tables, const Call& call, const Member& before) {
    const bool was_owner = before.person.role_in(before.account) == model::Role::owner;
    if (!was_owner || call.principal.is_administrator()) {
        return {};
    }
    const auto left = tables.people().count_owners(before.account);
    if (!left) {
        return pass(left);
    }
    return *left > 0 ? Result<void>{}
                     : fail(ErrorCode::conflict, "the account would have no owner any more");
}

Result<Member> find_member(store::Tables& tables, Call& call,
                           const std::optional<std::string>& account) {
    const auto owner = find_own_account(tables, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto missing = [&] {
        return fail(ErrorCode::not_found, fmt::format("the account has no person {}", call.id));
    };
    const auto email = people::normalised_email(call.id);
    if (!email) {
        return missing();
    }
    auto person = tables.people().find_person(*email);
    if (!person) {
        return pass(person);
    }
    const auto role = *person ? (**person).role_in(owner->id) : std::nullopt;
    if (!role) {
        return missing();
    }
    if (auto allowed = check_grant(call, owner->id, *role); !allowed) {
        return pass(allowed);
    }
    return Member{.person = **std::move(person), .account = owner->id, .shown = {}};
}

/// Takes the field `role`, which must be given.
std::optional<model::Role> take_role(Fields& fields) {
    const auto role = fields.word("role", model::parse_role, role_words);
    if (!role) {
        fields.mistake("role", "must be " + std::string{role_words});
    }
    return role;
}

/// Removes a person who has no membership left, no password, and is not an administrator.
Result<void> forget_if_unused(store::Tables& tables, const model::Person& person) {
    const bool is_used =
        !person.memberships.empty() || person.is_admin || !person.password_hash.empty();
    return is_used ? Result<void>{} : tables.people().remove_person(person.id);
}

}  // namespace

/// In the order of e-mail addresses, because members do not see ids.
Result<value> list(const Context& context, Call& call) {
    const auto account = call.fields.text("account", 32);
    const auto after = take_cursor(call.fields, list_name, people::normalised_email);
    const auto limit =
        static_cast<std::size_t>(call.fields.integer("limit", 1, page_max).value_or(page_max));
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    auto members = context.directory.people().all();
    std::erase_if(members, [&](const auto& person) {
        return !person->role_in(owner->id) || (after && person->email <= *after);
    });
    std::ranges::sort(members, {},
                      [](const auto& person) { return std::string_view{person->email}; });
    boost::json::array items;
    for (const auto& person : members | std::views::take(static_cast<std::ptrdiff_t>(limit))) {
        items.push_back(member(*person, owner->id));
    }
    return members.size() > limit
               ? page(std::move(items), value(cursor_text(list_name, members[limit - 1]->email)))
               : page(std::move(items));
}

/// The answer does not reveal whether the person existed before.
Result<value> add(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    const auto email = take_email(fields);
    const auto role = take_role(fields);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<object> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            if (auto allowed = check_grant(call, owner->id, *role); !allowed) {
                return pass(allowed);
            }
            auto& people = tables.people();
            const auto members = people.count_members(owner->id);
            if (!members) {
                return pass(members);
            }
            if (*members >= members_max) {
                return fail(ErrorCode::refused,
                            fmt::format("the account has {} people", members_max));
            }
            const auto known = people.find_person(email);
            if (!known) {
                return pass(known);
            }
            if (*known && (**known).role_in(owner->id)) {
                return fail(ErrorCode::conflict,
                            "the account has this person already: change the role instead");
            }
            auto person = *known ? Result<model::Person>{**known}
                                 : people.create_person({.email = email,
                                                         .password_hash = {},
                                                         .memberships = {},
                                                         .created_at = now});
            if (person) {
                person = people.put_membership(person->id,
                                               {.account = owner->id, .role = *role, .since = now});
            }
            return person ? Result<object>{member(*person, owner->id)} : pass(person);
        },
        [](const object& shown) { return shown; });
}

Result<value> change(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.text("account", 32);
    const auto role = take_role(fields);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<object> {
            const auto found = find_member(tables, call, account);
            if (!found) {
                return pass(found);
            }
            if (auto allowed = check_grant(call, found->account, *role); !allowed) {
                return pass(allowed);
            }
            auto person = tables.people().put_membership(
                found->person.id, {.account = found->account, .role = *role, .since = now});
            if (!person) {
                return pass(person);
            }
            if (auto checked = check_owners(tables, call, *found); !checked) {
                return pass(checked);
            }
            return member(*person, found->account);
        },
        [](const object& shown) { return shown; });
}

Result<value> remove(const Context& context, Call& call) {
    const auto account = call.fields.text("account", 32);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<object> {
            const auto found = find_member(tables, call, account);
            if (!found) {
                return pass(found);
            }
            const auto left = tables.people().remove_membership(found->person.id, found->account);
            if (!left) {
                return pass(left);
            }
            if (auto checked = check_owners(tables, call, *found); !checked) {
                return pass(checked);
            }
            if (auto forgotten = forget_if_unused(tables, *left); !forgotten) {
                return pass(forgotten);
            }
            return member(found->person, found->account);
        },
        [](const object& shown) { return shown; });
}

}  // namespace merpati::api::manage::people_of_account
