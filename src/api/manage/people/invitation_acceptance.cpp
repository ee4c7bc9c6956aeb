// Invitations, as the invited people see and accept them.
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "api/manage/engine/views.hpp"
#include "api/manage/people/membership.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "people/password.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::invitations {
namespace {

using boost::json::object;
using boost::json::value;
using model::Invitation;

std::unexpected<Error> not_open() {
    return fail(
        ErrorCode::not_found,
        "the invitation was used, revoked or replaced, has expired, or is of somebody who may "
        "not invite any more: ask for another");
}

/// Whether whoever made the invitation may still give its role.
Result<bool> inviter_may(const Context& context, store::Tables& tables,
                         const Invitation& invitation) {
    auto needed = model::scopes_of(invitation.role);
    needed.add(model::Scope::account_manage);
    return context.rights.permits(tables, invitation.inviter, invitation.account, needed);
}

/// The invitation of the token, if it can be accepted now. Sets Call::account.
Result<Invitation> find_open(const Context& context, store::Tables& tables, const Call& call,
                             const Sha256& digest, Timestamp now) {
    auto found = tables.people().find_invitation(digest, now);
    if (!found) {
        return pass(found);
    }
    if (!*found) {
        return not_open();
    }
    const auto may = inviter_may(context, tables, **found);
    if (!may) {
        return pass(may);
    }
    if (!*may) {
        return not_open();
    }
    call.account = (**found).account;
    return **std::move(found);
}

/// Makes the person a member, and ends the invitation. A member keeps the present role.
Result<model::Person> join(store::Tables& tables, const Invitation& invitation,
                           const model::Person& person, Timestamp now) {
    if (auto removed = tables.people().remove_invitation(invitation.id); !removed) {
        return pass(removed);
    }
    if (person.role_in(invitation.account)) {
        return person;
    }
    if (auto room = check_room(tables, invitation.account); !room) {
        return pass(room);
    }
    return tables.people().put_membership(
        person.id, {.account = invitation.account, .role = invitation.role, .since = now});
}

/// The person of a new address, or of one whom nothing depends on, with this password.
Result<model::Person> make_person(store::Tables& tables, const std::string& email,
                                  const std::string& hash, Timestamp now) {
    auto& people = tables.people();
    const auto known = people.find_person(email);
    if (!known) {
        return pass(known);
    }
    if (!*known) {
        return people.create_person(
            {.email = email, .password_hash = hash, .memberships = {}, .created_at = now});
    }
    const auto id = (**known).id;
    if (!is_unused(**known)) {
        return fail(ErrorCode::conflict, "the person has changed meanwhile: try again");
    }
    const auto ended = people::end_access(people, id);
    return ended ? people.update_person(id, {.password_hash = hash}) : pass(ended);
}

/// Accepts for a person who is new here.
Result<value> accept_as_new(const Context& context, Call& call, const Invitation& opened,
                            const people::Credentials& given) {
    auto& sign_in = context.people.sign_in;
    const auto hash = sign_in.hasher().hash(given.password);
    if (!hash) {
        return pass(hash);
    }
    const auto now = context.clock.now();
    return sessions::answer(
        context, call,
        sign_in.by_new_password(
            sessions::sign_in_call(context, call),
            [&](store::Tables& tables) -> Result<model::Person> {
                const auto invitation = find_open(context, tables, call, opened.digest, now);
                if (!invitation) {
                    return pass(invitation);
                }
                const auto person = make_person(tables, invitation->email, *hash, now);
                return person ? join(tables, *invitation, *person, now) : pass(person);
            }));
}

/// Accepts for a person who signs in by this, in the same transaction.
Result<value> accept_as_known(const Context& context, Call& call, const Invitation& opened,
                              const people::Credentials& given) {
    auto joining = sessions::sign_in_call(context, call);
    joining.commit = [&, commit = std::move(joining.commit)](people::PersonChange begin) {
        const auto now = context.clock.now();
        return commit([&](store::Tables& tables) -> Result<model::Person> {
            const auto invitation = find_open(context, tables, call, opened.digest, now);
            if (!invitation) {
                return pass(invitation);
            }
            const auto person = begin(tables);
            return person ? join(tables, *invitation, *person, now) : pass(person);
        });
    };
    return sessions::answer(context, call, context.people.sign_in.by_password(given, joining));
}

/// What `open` found, or the answer that ends the call.
using Opened = std::variant<Invitation, value>;

/// Checks a request of somebody who is not signed in, and finds its invitation.
Result<Opened> open(const Context& context, Call& call, std::string_view token) {
    if (auto refusal = sessions::check_way(call)) {
        return sessions::answer_problem(call, *std::move(refusal));
    }
    if (const auto throttled = context.people.sign_in.take_try(call.head.address)) {
        return sessions::answer(context, call, *throttled);
    }
    const auto digest = people::token_digest(token);
    if (!digest) {
        return not_open();
    }
    auto found = context.read([&](store::Reader& reader) {
        return reader.people().invitation(*digest, context.clock.now());
    });
    if (!found) {
        return pass(found);
    }
    return *found ? Result<Opened>{**std::move(found)} : not_open();
}

}  // namespace

Result<value> show(const Context& context, Call& call) {
    const auto token = call.fields.required_text("token", token_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto opened = open(context, call, token);
    if (!opened) {
        return pass(opened);
    }
    if (auto* answer = std::get_if<value>(&*opened)) {
        return std::move(*answer);
    }
    const auto& invitation = std::get<Invitation>(*opened);
    const auto account = context.directory.find_account(invitation.account);
    return object{{"account", account == nullptr ? std::string{} : account->account.name},
                  {"email", invitation.email},
                  {"role", model::to_string(invitation.role)},
                  {"invited_by", view(invitation).at("invited_by")},
                  {"expires_at", to_rfc3339(invitation.expires_at)}};
}

/// An unknown person gets the password. A known one must give the password that there is: who holds
/// the link may be someone else, and must not get into the person's other accounts.
Result<value> accept(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto token = fields.required_text("token", token_bytes_max);
    people::Credentials given{
        .email = {},
        .password = fields.required_text("password", people::password_bytes_max),
        .code = fields.text("totp", code_bytes_max)};
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    auto opened = open(context, call, token);
    if (!opened) {
        return pass(opened);
    }
    if (auto* ended = std::get_if<value>(&*opened)) {
        return std::move(*ended);
    }
    const auto& invitation = std::get<Invitation>(*opened);
    given.email = invitation.email;
    // Also for a known person, so that a bad password does not tell who is known.
    if (auto checked = people::check_password(given.password, given.email); !checked) {
        fields.mistake("password", checked.error().detail);
        return pass(fields.finish());
    }
    const auto known = context.directory.people().find(std::string_view{given.email});
    return known == nullptr || is_unused(*known)
               ? accept_as_new(context, call, invitation, given)
               : accept_as_known(context, call, invitation, given);
}

/// For the person who is signed in.
Result<value> accept_signed_in(const Context& context, Call& call) {
    const auto token = call.fields.required_text("token", token_bytes_max);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto session = sessions::own_session(call);
    if (!session) {
        return sessions::answer_problem(call, unauthenticated());
    }
    const auto digest = people::token_digest(token);
    if (!digest) {
        return not_open();
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Person> {
            const auto invitation = find_open(context, tables, call, *digest, now);
            if (!invitation) {
                return pass(invitation);
            }
            const auto person = tables.people().find_person(session->person);
            if (!person || !*person) {
                return person ? not_open() : pass(person);
            }
            if ((**person).email != invitation->email) {
                return fail(ErrorCode::refused,
                            fmt::format("the invitation is for {}: sign in as that person",
                                        invitation->email));
            }
            return join(tables, *invitation, **person, now);
        },
        [&](const model::Person& person) {
            return sessions::view_of_session(context, person, *session);
        });
}

}  // namespace merpati::api::manage::invitations
