// People, their sessions and the audit log, as a Change writes them and a Reader reads them.
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
#include "model/person.hpp"

namespace merpati::store {

/// New values of a person's fields; those left empty stay as they are.
struct PersonPatch {
    std::optional<std::string> email;
    std::optional<bool> is_admin;
    std::optional<std::string> password_hash;
};

/// A person's TOTP. The secret is encrypted at rest, recovery codes are kept as digests.
struct SecondFactor {
    Bytes secret;
    bool confirmed = false;  // Before, it is asked of nobody.
    /// The highest step of time whose code was accepted; codes of this one and of those before it
    /// are not accepted again.
    std::int64_t last_step = 0;
    std::size_t recovery_codes = 0;  // How many are left.
};

/// A token that signs a person in, once.
struct SignInLink {
    Sha256 digest{};
    model::PersonId person;
    Timestamp expires_at;
};

/// A change that somebody made. Never holds a secret.
struct AuditEntry {
    model::AuditId id;  // Given by the store; ascending in the order of the commits.
    Timestamp at;
    std::string door;                         // "socket", "network", "command"
    std::string actor;                        // "local", "key_3", "per_1"
    std::string actor_name;                   // "uid 1000", "mpt_9fK2", "ani@toko.example"
    std::optional<model::AccountId> account;  // Whose object it is; empty: the server's.
    std::string operation;                    // "PATCH /v1/devices/{}"
    std::string object;                       // "6281100000001"; empty: it has no id.
    std::string before;                       // JSON of what was changed; empty: there was none.
    std::string after;
    std::string request_id;  // Of the request, as the log has it; may be empty.
    /// "done", or the code of the error with which it ended ("timeout", "conflict"). Empty: it was
    /// begun, and how it ended is not known (yet).
    std::string outcome = "done";
};

/// The people's part of Tables: the same rules, and the same errors of every method.
///
/// A person that was written is reported in WriteBatch::row_changes, so is a session that was
/// begun or ended.
class PeopleTables {
public:
    virtual ~PeopleTables() = default;

    virtual Result<std::optional<model::Person>> find_person(model::PersonId id) = 0;
    virtual Result<std::optional<model::Person>> find_person(std::string_view email) = 0;
    /// Gives the person its id. Memberships are not written. Errors: conflict (the e-mail address
    /// is another's).
    virtual Result<model::Person> create_person(const model::Person& person) = 0;
    /// Returns the person as it is then. Errors: not_found, conflict (the e-mail address is
    /// another's).
    virtual Result<model::Person> update_person(model::PersonId person,
                                                const PersonPatch& patch) = 0;
    /// With memberships, sessions, links and the second factor. Errors: not_found.
    virtual Result<void> remove_person(model::PersonId person) = 0;
    virtual Result<std::size_t> count_administrators() = 0;

    /// Returns the person as it is then; a member that has the role already stays as it is.
    /// Errors: not_found (no such person, no such account).
    virtual Result<model::Person> put_membership(model::PersonId person,
                                                 const model::Membership& membership) = 0;
    /// Errors: not_found (no such person, not a member).
    virtual Result<model::Person> remove_membership(model::PersonId person,
                                                    model::AccountId account) = 0;
    virtual Result<std::size_t> count_owners(model::AccountId account) = 0;
    virtual Result<std::size_t> count_members(model::AccountId account) = 0;

    /// Gives the session its id. At most `sessions_max` of a person are kept: those that were
    /// seen longest ago end.
    virtual Result<model::Session> create_session(const model::Session& session) = 0;
    static constexpr std::size_t sessions_max = 32;
    virtual Result<std::optional<model::Session>> find_session(model::SessionId id) = 0;
    /// A session that has ended meanwhile stays so. Not reported.
    virtual Result<void> touch_session(model::SessionId session, Timestamp seen_at) = 0;
    /// False: there was none.
    virtual Result<bool> end_session(model::SessionId session) = 0;
    /// Ends all of the person's, but for `kept`; returns how many.
    virtual Result<std::size_t> end_sessions(model::PersonId person,
                                             std::optional<model::SessionId> kept) = 0;

    /// At most `links_max` of a person are kept: those that expire first are forgotten.
    virtual Result<void> put_link(const SignInLink& link) = 0;
    static constexpr std::size_t links_max = 8;
    /// Removes the link and returns whose it was; empty: there is none, or it has expired.
    virtual Result<std::optional<model::PersonId>> take_link(const Sha256& digest,
                                                             Timestamp now) = 0;
    /// Forgets all of the person's.
    virtual Result<void> remove_links(model::PersonId person) = 0;

    /// Errors: conflict (it was encrypted with another key).
    virtual Result<std::optional<SecondFactor>> find_second_factor(model::PersonId person) = 0;
    /// Begins one anew, unconfirmed, without recovery codes. Errors: not_found.
    virtual Result<void> begin_second_factor(model::PersonId person, const Bytes& secret) = 0;
    /// From now on it is asked for. Errors: not_found.
    virtual Result<model::Person> confirm_second_factor(
        model::PersonId person, const std::vector<Sha256>& recovery_codes) = 0;
    /// False: a code of this step, or of a later one, was accepted before.
    virtual Result<bool> accept_step(model::PersonId person, std::int64_t step) = 0;
    /// Removes the code. False: there is no such code.
    virtual Result<bool> take_recovery_code(model::PersonId person, const Sha256& digest) = 0;
    /// Errors: not_found (no such person; one without a second factor is none).
    virtual Result<model::Person> remove_second_factor(model::PersonId person) = 0;

    virtual Result<model::AuditId> add_audit(const AuditEntry& entry) = 0;
    /// Adds to an entry how it ended, and what had been changed then. Nothing, if it has been
    /// removed meanwhile.
    virtual Result<void> end_audit(model::AuditId entry, std::string_view outcome,
                                   std::string_view after) = 0;
};

struct AuditFilter {
    std::optional<model::AccountId> account;
    std::optional<std::string> actor;
    std::optional<std::string> object;
    std::optional<model::AuditId> before;  // The last one of the page before.
    std::size_t limit = 50;
};

/// The people's part of a Reader: the same rules and errors.
class PeopleReader {
public:
    virtual ~PeopleReader() = default;

    // All of them: few enough for memory.
    [[nodiscard]] virtual Result<std::vector<model::Person>> persons() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Session>> sessions() = 0;

    /// Newest first.
    [[nodiscard]] virtual Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) = 0;
};

}  // namespace merpati::store
