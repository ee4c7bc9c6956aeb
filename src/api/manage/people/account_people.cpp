// The people of an account, as its owners manage them.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/membership.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "people/email.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::people_of_account {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::string_view list_name = "members";

struct Member {
    model::Person person;
    model::AccountId account;
};

/// Refuses to take the role of the account's last owner, except for an administrator of the server.
/// Call after the change; `before` is the member before it.
Result<void> check_owners(store::Tables& tables, const Call& call, const Member& before) {
    return call.principal.is_administrator()
               ? Result<void>{}
               : manage::check_owners(tables, before.account,
                                      before.person.role_in(before.account));
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
    return Member{.person = **std::move(person), .account = owner->id};
}

}  // namespace

/// In the order of e-mail addresses, because members do not see ids.
Result<value> list(const Context& context, Call& call) {
    const auto account = call.fields.account();
    const auto after = take_cursor(call.fields, list_name, people::normalised_email);
    const auto limit =
        static_cast<std::size_t>(call.fields.integer("limit", 1, page_max).value_or(page_max));
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    auto members = context.directory.people().members_of(owner->id);
    std::erase_if(members, [&](const auto& person) { return after && person->email <= *after; });
    std::ranges::sort(members, {},
                      [](const auto& person) { return std::string_view{person->email}; });
    std::optional<std::string> next;
    if (members.size() > limit) {
        members.resize(limit);
        next = members.back()->email;
    }
    return page_of(
        members, std::move(next), list_name,
        [&](const auto& person) { return view_of_member(*person, owner->id); },
        [](const auto& person) { return person->email; });
}

/// For administrators of the server: the person is not asked.
Result<value> add(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.account();
    const auto email = take_email(fields);
    const auto role = take_role(fields);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    if (!call.principal.is_administrator()) {
        return fail(ErrorCode::forbidden,
                    "only administrators of the server add people without asking them: invite the "
                    "person instead");
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<object> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            const auto known = find_new_member(tables, owner->id, email);
            if (!known) {
                return pass(known);
            }
            auto& people = tables.people();
            auto person = *known ? Result<model::Person>{**known}
                                 : people.create_person({.email = email,
                                                         .password_hash = {},
                                                         .memberships = {},
                                                         .created_at = now});
            if (person) {
                person = people.put_membership(person->id,
                                               {.account = owner->id, .role = *role, .since = now});
            }
            return person ? Result<object>{view_of_member(*person, owner->id)} : pass(person);
        },
        [](const object& shown) { return shown; });
}

Result<value> change(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.account();
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
            return view_of_member(*person, found->account);
        },
        [](const object& shown) { return shown; });
}

Result<value> remove(const Context& context, Call& call) {
    const auto account = call.fields.account();
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
            return view_of_member(found->person, found->account);
        },
        [](const object& shown) { return shown; });
}

/// Ends the caller's own membership.
Result<value> leave(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = sessions::own_session(call);
    if (!session) {
        return sessions::answer_problem(call, unauthenticated());
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            const auto account = model::AccountId::parse(call.id);
            const auto person = tables.people().find_person(session->person);
            if (!person) {
                return pass(person);
            }
            const auto role = *person && account ? (**person).role_in(*account) : std::nullopt;
            if (!role) {
                return fail(ErrorCode::not_found, fmt::format("there is no account {}", call.id));
            }
            call.account = account;
            auto left = tables.people().remove_membership((**person).id, *account);
            if (!left) {
                return pass(left);
            }
            if (auto checked = manage::check_owners(tables, *account, role); !checked) {
                return pass(checked);
            }
            if (auto forgotten = forget_if_unused(tables, *left); !forgotten) {
                return pass(forgotten);
            }
            return left;
        },
        [&](const model::Person& person) {
            return sessions::view_of_session(context, person, *session);
        });
}

}  // namespace merpati::api::manage::people_of_account
