// People and their sessions, as a Change writes them and a Reader reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "model/invitation.hpp"
#include "model/person.hpp"

namespace merpati::store {

/// New values of a person's fields; empty fields stay as they are.
struct PersonPatch {
    std::optional<std::string> email;
    std::optional<bool> is_admin;
    std::optional<std::string> password_hash;
};

/// A person's TOTP. The secret is encrypted at rest; of recovery codes only digests are stored.
struct SecondFactor {
    Bytes secret;
    bool confirmed = false;  // False: signing in does not ask for a code yet.
    /// The highest time step whose code was accepted. Codes of this step and of earlier ones are
    /// not accepted again.
    std::int64_t last_step = 0;
    std::size_t recovery_codes = 0;  // How many are left.
};

/// A token that signs a person in, once.
struct SignInLink {
    Sha256 digest{};
    model::PersonId person;
    Timestamp expires_at;
};

/// The part of Tables for people; its rules and errors apply here too.
///
/// Persons and invitations that were written or removed, and sessions that began or ended, are
/// reported in WriteBatch::row_changes; not what retention removes, except for sessions.
class PeopleTables {
public:
    virtual ~PeopleTables() = default;

    /// Where several programs write, the person is locked until the transaction ends: until then no
    /// other one changes or removes the person, or adds a membership, session, link or second
    /// factor. What depends on a person is decided and written after this.
    virtual Result<std::optional<model::Person>> find_person(model::PersonId id) = 0;
    virtual Result<std::optional<model::Person>> find_person(std::string_view email) = 0;
    /// The same without a lock: it waits for nobody, but another program may change or remove the
    /// person before the transaction ends.
    virtual Result<std::optional<model::Person>> find_person_unlocked(model::PersonId id) = 0;
    /// Assigns the person's id and returns the person. Writes no memberships. Errors: conflict
    /// (another person has the e-mail address).
    virtual Result<model::Person> create_person(const model::Person& person) = 0;
    /// Returns the updated person. Errors: not_found, conflict (another person has the e-mail
    /// address).
    virtual Result<model::Person> update_person(model::PersonId person,
                                                const PersonPatch& patch) = 0;
    /// Removes the person with memberships, sessions, links and second factor. Errors: not_found.
    virtual Result<void> remove_person(model::PersonId person) = 0;
    virtual Result<std::size_t> count_administrators() = 0;

    /// Adds the membership, or changes its role. Returns the updated person.
    /// Errors: not_found (no such person, no such account).
    virtual Result<model::Person> put_membership(model::PersonId person,
                                                 const model::Membership& membership) = 0;
    /// Returns the updated person. Errors: not_found (no such person, not a member).
    virtual Result<model::Person> remove_membership(model::PersonId person,
                                                    model::AccountId account) = 0;
    virtual Result<std::size_t> count_owners(model::AccountId account) = 0;
    virtual Result<std::size_t> count_members(model::AccountId account) = 0;

    /// Assigns the session's id. A person has at most `sessions_max` sessions: those that were seen
    /// longest ago end. Errors: not_found (another program has removed the person).
    virtual Result<model::Session> create_session(const model::Session& session) = 0;
    static constexpr std::size_t sessions_max = 32;
    virtual Result<std::optional<model::Session>> find_session(model::SessionId id) = 0;
    /// Does nothing if the session has ended, or was seen later. Reported as a session.
    virtual Result<void> touch_session(model::SessionId session, Timestamp seen_at) = 0;
    /// False: there was none.
    virtual Result<bool> end_session(model::SessionId session) = 0;
    /// Ends all sessions of the person except `kept`; returns how many.
    virtual Result<std::size_t> end_sessions(model::PersonId person,
                                             std::optional<model::SessionId> kept) = 0;

    /// Assigns the invitation's id and returns it. Replaces an earlier invitation of the address to
    /// the account, and removes the account's expired ones. Errors: refused (the account has
    /// `invitations_max`).
    virtual Result<model::Invitation> put_invitation(const model::Invitation& invitation) = 0;
    static constexpr std::size_t invitations_max = 50;
    /// Empty: there is none, or it has expired.
    virtual Result<std::optional<model::Invitation>> find_invitation(const Sha256& digest,
                                                                     Timestamp now) = 0;
    virtual Result<std::optional<model::Invitation>> find_invitation(model::InvitationId id,
                                                                     Timestamp now) = 0;
    /// Does nothing if there is none.
    virtual Result<void> remove_invitation(model::InvitationId id) = 0;

    /// A person has at most `links_max` links: those that expire first are removed. Errors:
    /// not_found (another program has removed the person).
    virtual Result<void> put_link(const SignInLink& link) = 0;
    static constexpr std::size_t links_max = 8;
    /// Removes the link and returns its person, who is locked as by `find_person`; empty: there is
    /// none, or it has expired.
    virtual Result<std::optional<model::PersonId>> take_link(const Sha256& digest,
                                                             Timestamp now) = 0;
    /// Removes all links of the person.
    virtual Result<void> remove_links(model::PersonId person) = 0;

    /// Locks the person as `find_person` does. Empty: there is none. Errors: conflict (encrypted
    /// with another key).
    virtual Result<std::optional<SecondFactor>> find_second_factor(model::PersonId person) = 0;
    /// Replaces the second factor by an unconfirmed one without recovery codes. Errors: not_found.
    virtual Result<void> begin_second_factor(model::PersonId person, const Bytes& secret) = 0;
    /// Confirms a second factor that was begun: signing in asks for its codes from now on. Returns
    /// the updated person. Errors: not_found (no such person).
    virtual Result<model::Person> confirm_second_factor(
        model::PersonId person, const std::vector<Sha256>& recovery_codes) = 0;
    /// Records the step as used. False: a code of this step, or of a later one, was accepted
    /// before.
    virtual Result<bool> accept_step(model::PersonId person, std::int64_t step) = 0;
    /// Removes the code. False: there is no such code.
    virtual Result<bool> take_recovery_code(model::PersonId person, const Sha256& digest) = 0;
    /// Returns the updated person, also if there was no second factor. Errors: not_found (no such
    /// person).
    virtual Result<model::Person> remove_second_factor(model::PersonId person) = 0;
};

/// The part of a Reader for people; its rules and errors apply here too.
class PeopleReader {
public:
    virtual ~PeopleReader() = default;

    // All rows: few enough for memory.
    [[nodiscard]] virtual Result<std::vector<model::Person>> persons() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Session>> sessions() = 0;

    /// Those of the account that have not expired, by e-mail address; at most
    /// PeopleTables::invitations_max.
    [[nodiscard]] virtual Result<std::vector<model::Invitation>> invitations(
        model::AccountId account, Timestamp now) = 0;
    /// Empty: there is none, or it has expired.
    [[nodiscard]] virtual Result<std::optional<model::Invitation>> invitation(const Sha256& digest,
                                                                              Timestamp now) = 0;
};

}  // namespace merpati::store
