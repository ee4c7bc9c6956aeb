// People as the server's administrators manage them.
#include "store/people.hpp"

#include <fmt/format.h>

#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/person_fields.hpp"
#include "people/sign_in.hpp"
#include "people/token.hpp"

namespace merpati::api::manage::people_of_server {
namespace {

using boost::json::object;
using boost::json::value;

/// A change of a person's role in an account; `role` empty: the membership ends.
struct MembershipChange {
    std::string account;
    std::optional<model::Role> role;
};

struct RoleChoice {
    std::optional<model::Role> role;
};

/// Takes `account` and `role`, which must be given together. `may_end`: the role "none" is allowed.
std::optional<MembershipChange> take_membership(Fields& fields, bool may_end) {
    const auto account = fields.account();
    const auto parse = [may_end](std::string_view word) -> std::optional<RoleChoice> {
        if (may_end && word == "none") {
            return RoleChoice{};
        }
        const auto role = model::parse_role(word);
        return role ? std::optional{RoleChoice{role}} : std::nullopt;
    };
    const bool given = fields.given("role");
    const auto choice = fields.word(
        "role", parse, may_end ? "owner, operator, viewer or none" : std::string{role_words});
    if (account && !given) {
        fields.mistake("role", "must be given with the account");
    }
    if (given && !account) {
        fields.mistake("account", "must be given with the role");
    }
    if (!account || !choice) {
        return std::nullopt;
    }
    return MembershipChange{.account = *account, .role = choice->role};
}

Result<model::Person> apply(store::Tables& tables, const Call& call, model::PersonId person,
                            const MembershipChange& change, Timestamp now) {
    const auto account = find_account(tables, call, change.account);
    if (!account) {
        return pass(account);
    }
    if (!change.role) {
        return tables.people().remove_membership(person, account->id);
    }
    return tables.people().put_membership(
        person, {.account = account->id, .role = *change.role, .since = now});
}

/// Refuses to leave the server without an administrator, because then nobody could undo it over the
/// network. The local operator may. Call after the change.
Result<void> check_administrators(store::Tables& tables, const Call& call) {
    if (call.principal.kind == admission::Principal::Kind::local_operator) {
        return {};
    }
    const auto left = tables.people().count_administrators();
    if (!left) {
        return pass(left);
    }
    return *left > 0 ? Result<void>{}
                     : fail(ErrorCode::conflict,
                            "this is the last administrator: it can be done on the server's "
                            "machine");
}

object with_password(const model::Person& person, const std::optional<std::string>& password) {
    auto shown = view(person);
    if (password) {
        shown["password"] = *password;
    }
    return shown;
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    return list_numbered(
        context, call, "people",
        [&](const std::optional<model::AccountId>& owner, const NumberedPage& page) {
            const auto part = page.part([](auto number) { return model::PersonId{number}; });
            const auto& people = context.directory.people();
            return owner ? people.members_of(*owner, part) : people.all(part);
        },
        [](const auto& person) { return view(*person); },
        [](const auto& person) { return person->id.value; });
}

Result<value> show(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto found = find_person(context.directory, call.id);
    return found ? Result<value>{view(**found)} : pass(found);
}

Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    model::Person person;
    person.email = take_email(fields);
    person.is_admin = fields.boolean("admin").value_or(false);
    const auto given = take_password(fields, "password");
    const auto membership = take_membership(fields, false);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    auto password = hash_password(context, fields, "password", given, person.email);
    if (!password) {
        return pass(password);
    }
    person.password_hash = password->hash;
    person.created_at = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            auto made = tables.people().create_person(person);
            if (!made && made.error().code == ErrorCode::conflict) {
                return fail(
                    ErrorCode::conflict,
                    fmt::format("{} is there already: change that person instead", person.email));
            }
            return made && membership
                       ? apply(tables, call, made->id, *membership, person.created_at)
                       : std::move(made);
        },
        [&](const model::Person& made) { return with_password(made, password->made); });
}

Result<value> change(const Context& context, Call& call) {
    auto& fields = call.fields;
    store::PersonPatch patch;
    if (fields.given("email")) {
        patch.email = take_email(fields);
    }
    patch.is_admin = fields.boolean("admin");
    const bool makes_password = fields.none("password");
    const auto given = take_password(fields, "password");
    const auto totp = fields.boolean("totp");
    if (totp.value_or(false)) {
        fields.mistake("totp", "can only be ended here: the person sets it up");
    }
    const auto membership = take_membership(fields, true);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    std::optional<std::string> made;
    if (makes_password || given) {
        const auto known = find_person(context.directory, call.id);
        if (!known) {
            return pass(known);
        }
        auto password = hash_password(context, fields, "password", given,
                                      patch.email.value_or((**known).email));
        if (!password) {
            return pass(password);
        }
        patch.password_hash = std::move(password->hash);
        made = std::move(password->made);
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            auto person = find_person(tables, call.id);
            if (!person) {
                return person;
            }
            if (auto matched = check_match(call, view(*person)); !matched) {
                return pass(matched);
            }
            auto& people = tables.people();
            if (patch.password_hash) {
                if (auto ended = people::end_access(people, person->id); !ended) {
                    return pass(ended);
                }
            }
            if (totp && person->has_second_factor) {
                person = people.remove_second_factor(person->id);
            }
            if (person && membership) {
                person = apply(tables, call, person->id, *membership, now);
            }
            if (person) {
                person = people.update_person(person->id, patch);
            }
            if (person && patch.is_admin == false) {
                if (auto checked = check_administrators(tables, call); !checked) {
                    return pass(checked);
                }
            }
            return person;
        },
        [&](const model::Person& person) { return with_password(person, made); });
}

Result<value> remove(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            auto person = find_person(tables, call.id);
            if (!person) {
                return person;
            }
            if (auto matched = check_match(call, view(*person)); !matched) {
                return pass(matched);
            }
            if (auto removed = tables.people().remove_person(person->id); !removed) {
                return pass(removed);
            }
            if (person->is_admin) {
                if (auto checked = check_administrators(tables, call); !checked) {
                    return pass(checked);
                }
            }
            return person;
        },
        [](const model::Person& person) { return view(person); });
}

Result<value> link(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto expires_at = context.clock.now() + people::link_lasts;
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<std::string> {
            const auto person = find_person(tables, call.id);
            if (!person) {
                return pass(person);
            }
            auto token = people::make_token(context.random);
            const auto put = tables.people().put_link({.digest = *people::token_digest(token),
                                                       .person = person->id,
                                                       .expires_at = expires_at});
            return put ? Result<std::string>{std::move(token)} : pass(put);
        },
        // Browsers do not send what is after the '#' to servers.
        [&](const std::string& token) {
            return object{
                {"url", fmt::format("{}/app/sign-in#{}", context.people.app_url(), token)},
                {"expires_at", to_rfc3339(expires_at)}};
        });
}

}  // namespace merpati::api::manage::people_of_server
