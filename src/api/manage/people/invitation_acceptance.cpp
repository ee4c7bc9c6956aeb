// Invitations, as the invited people see and accept them.
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "api/manage/engine/views.hpp"
#include "api/manage/people/membership.hpp"
#include "api/manage/people/person_fields.hpp"
#include "api/manage/people/session_answers.hpp"
#include "api/manage/people/session_begin.hpp"
#include "people/password.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::invitations {
namespace {

using boost::json::object;
using boost::json::value;
using model::Invitation;

std::unexpected<Error> not_open() {
    return fail(ErrorCode::not_found,
                "the invitation was used, revoked or replaced, or has expired: ask for another");
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
    auto ended = people.end_sessions(id, std::nullopt);
    auto removed = ended ? people.remove_links(id) : pass(ended);
    return removed ? people.update_person(id, {.password_hash = hash}) : pass(removed);
}

/// The answer to a request to accept.
struct Answer {
    std::string token;
    std::string password;
    std::optional<std::string> code;
};

/// Accepts for a person who is new here.
Result<value> accept_as_new(const Context& context, Call& call, const Invitation& opened,
                            const Answer& answer) {
    const auto hash = context.people.hasher.hash(answer.password);
    if (!hash) {
        return pass(hash);
    }
    const auto token = people::make_token(context.random);
    auto session = sessions::new_session(context, call, model::SignIn::password, token);
    const auto committed = context.change([&](store::Tables& tables) -> Result<void> {
        const auto now = session.created_at;
        const auto invitation = find_open(context, tables, call, opened.digest, now);
        if (!invitation) {
            return pass(invitation);
        }
        const auto made = make_person(tables, invitation->email, *hash, now);
        const auto person = made ? join(tables, *invitation, *made, now) : pass(made);
        if (!person) {
            return pass(person);
        }
        call.principal = admission::Principal::of(std::make_shared<model::Person>(*person));
        session.person = person->id;
        auto begun = tables.people().create_session(session);
        if (!begun) {
            return pass(begun);
        }
        session = std::move(*begun);
        return {};
    });
    return committed ? Result<value>{sessions::answer_session(context, call, session, token)}
                     : pass(committed);
}

/// Accepts for a person who signs in by this.
Result<value> accept_as_known(const Context& context, Call& call, const Invitation& opened,
                              const Answer& answer, const model::Person& known) {
    using people::Denial;
    people::Candidate candidate{.person = known,
                                .is_known_address = context.directory.people().has_session_from(
                                    known.id, call.head.address),
                                .new_hash = {},
                                .code = answer.code};
    auto& throttle = context.people.throttle;
    const auto wait = throttle.take(known.email, call.head.address, candidate.is_known_address,
                                    context.clock.steady_now());
    if (wait > std::chrono::seconds{0}) {
        return sessions::answer_too_many(context, call, known.id, wait);
    }
    const auto is_right = context.people.hasher.verify(known.password_hash, answer.password);
    if (!is_right) {
        return pass(is_right);
    }
    if (!*is_right) {
        return sessions::answer_wrong(context, call, known.id);
    }
    const auto code_wait = sessions::take_code(context, call, candidate);
    if (code_wait > std::chrono::seconds{0}) {
        return sessions::answer_too_many(context, call, known.id, code_wait);
    }
    call.principal = admission::Principal::of(std::make_shared<model::Person>(known));
    const auto token = people::make_token(context.random);
    auto session = sessions::new_session(context, call, model::SignIn::password, token);
    auto denial = Denial::none;
    const auto committed = context.change([&](store::Tables& tables) -> Result<void> {
        denial = Denial::none;
        const auto now = session.created_at;
        const auto invitation = find_open(context, tables, call, opened.digest, now);
        if (!invitation) {
            return pass(invitation);
        }
        const auto decided = people::begin_in(tables, candidate, session, now);
        if (!decided) {
            return pass(decided);
        }
        denial = *decided;
        if (denial != Denial::none) {
            return fail(ErrorCode::refused, "denied");  // Rolls back what was written.
        }
        const auto person = tables.people().find_person(known.id);
        if (!person || !*person) {
            return person ? not_open() : pass(person);
        }
        const auto member = join(tables, *invitation, **person, now);
        return member ? Result<void>{} : pass(member);
    });
    if (denial != Denial::none) {
        return sessions::answer_denial(context, call, known.id, denial);
    }
    if (!committed) {
        return pass(committed);
    }
    throttle.succeeded(known.email, call.head.address, candidate.is_known_address);
    return sessions::answer_session(context, call, session, token);
}

/// What `open` found, or the answer that ends the call.
using Opened = std::variant<Invitation, value>;

/// Checks a request of somebody who is not signed in, and finds its invitation.
Result<Opened> open(const Context& context, Call& call, std::string_view token) {
    if (auto refusal = sessions::check_way(call)) {
        return sessions::answer_problem(call, *std::move(refusal));
    }
    const auto wait = context.people.throttle.take(call.head.address, context.clock.steady_now());
    if (wait > std::chrono::seconds{0}) {
        return sessions::answer_too_many(context, call, std::nullopt, wait);
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
    const auto token = call.fields.required_text("token", sessions::token_bytes_max);
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
    Answer answer{.token = fields.required_text("token", sessions::token_bytes_max),
                  .password = fields.required_text("password", people::password_bytes_max),
                  .code = fields.text("totp", code_bytes_max)};
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    auto opened = open(context, call, answer.token);
    if (!opened) {
        return pass(opened);
    }
    if (auto* ended = std::get_if<value>(&*opened)) {
        return std::move(*ended);
    }
    const auto& invitation = std::get<Invitation>(*opened);
    // Also for a known person, so that a bad password does not tell who is known.
    if (auto checked = people::check_password(answer.password, invitation.email); !checked) {
        fields.mistake("password", checked.error().detail);
        return pass(fields.finish());
    }
    const auto known = context.directory.people().find(std::string_view{invitation.email});
    return known == nullptr || is_unused(*known)
               ? accept_as_new(context, call, invitation, answer)
               : accept_as_known(context, call, invitation, answer, *known);
}

/// For the person who is signed in.
Result<value> accept_signed_in(const Context& context, Call& call) {
    const auto token = call.fields.required_text("token", sessions::token_bytes_max);
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
