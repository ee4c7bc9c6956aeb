// People and sessions, as every engine stores them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "store/condition.hpp"
#include "store/people.hpp"
#include "store/secret_box.hpp"
#include "store/sql/connection.hpp"
#include "store/tables.hpp"

namespace merpati::store::sql {

/// A part of StoredTables: runs inside its change, and adds its rows to those of the change.
class StoredPeople final : public PeopleTables {
public:
    StoredPeople(Connection& connection, const SecretBox& secrets,
                 std::vector<RowChange>& row_changes)
        : connection_(connection), secrets_(secrets), row_changes_(row_changes) {}

    Result<std::optional<model::Person>> find_person(model::PersonId id) override;
    Result<std::optional<model::Person>> find_person(std::string_view email) override;
    Result<std::optional<model::Person>> find_person_unlocked(model::PersonId id) override;
    Result<model::Person> create_person(const model::Person& person) override;
    Result<model::Person> update_person(model::PersonId person, const PersonPatch& patch) override;
    Result<void> remove_person(model::PersonId person) override;
    Result<std::size_t> count_administrators() override;
    Result<model::Person> put_membership(model::PersonId person,
                                         const model::Membership& membership) override;
    Result<model::Person> remove_membership(model::PersonId person,
                                            model::AccountId account) override;
    Result<std::size_t> count_owners(model::AccountId account) override;
    Result<std::size_t> count_members(model::AccountId account) override;
    Result<model::Session> create_session(const model::Session& session) override;
    Result<std::optional<model::Session>> find_session(model::SessionId id) override;
    Result<void> touch_session(model::SessionId session, Timestamp seen_at) override;
    Result<bool> end_session(model::SessionId session) override;
    Result<std::size_t> end_sessions(model::PersonId person,
                                     std::optional<model::SessionId> kept) override;
    Result<model::Invitation> put_invitation(const model::Invitation& invitation) override;
    Result<std::optional<model::Invitation>> find_invitation(const Sha256& digest,
                                                             Timestamp now) override;
    Result<std::optional<model::Invitation>> find_invitation(model::InvitationId id,
                                                             Timestamp now) override;
    Result<void> remove_invitation(model::InvitationId id) override;
    Result<void> put_link(const SignInLink& link) override;
    Result<std::optional<model::PersonId>> take_link(const Sha256& digest, Timestamp now) override;
    Result<void> remove_links(model::PersonId person) override;
    Result<std::optional<SecondFactor>> find_second_factor(model::PersonId person) override;
    Result<void> begin_second_factor(model::PersonId person, const Bytes& secret) override;
    Result<model::Person> confirm_second_factor(model::PersonId person,
                                                const std::vector<Sha256>& recovery_codes) override;
    Result<bool> accept_step(model::PersonId person, std::int64_t step) override;
    Result<bool> take_recovery_code(model::PersonId person, const Sha256& digest) override;
    Result<model::Person> remove_second_factor(model::PersonId person) override;

    /// Ends the oldest session that retention no longer keeps. False: there is none.
    [[nodiscard]] bool prune_session(const PruneLimits& limits);

private:
    [[nodiscard]] Result<model::Person> written_person(model::PersonId id);
    [[nodiscard]] Result<void> hold(model::PersonId id);
    [[nodiscard]] std::string count_locked(const char* rows) const;
    [[nodiscard]] Result<void> check_email(std::string_view email, model::PersonId owner);
    [[nodiscard]] std::vector<model::Session> sessions_where(const char* condition,
                                                             std::int64_t value, std::size_t limit);
    void end(const std::vector<model::Session>& sessions);
    void put_totp_secret(model::PersonId person, std::optional<std::span<const std::byte>> sealed);

    Connection& connection_;
    const SecretBox& secrets_;
    std::vector<RowChange>& row_changes_;  // Of the running change.
};

/// A part of StoredReader.
class StoredPeopleReader final : public PeopleReader {
public:
    StoredPeopleReader(Connection& connection, Condition& condition)
        : connection_(connection), condition_(condition) {}

    Result<std::vector<model::Person>> persons() override;
    Result<std::vector<model::Session>> sessions() override;
    Result<std::vector<model::Invitation>> invitations(model::AccountId account,
                                                       Timestamp now) override;
    Result<std::optional<model::Invitation>> invitation(const Sha256& digest,
                                                        Timestamp now) override;

    /// Reads the person's memberships too. Throws Failure.
    void add_memberships(model::Person& person);

private:
    void add_memberships(Statement& list, model::Person& person);

    Connection& connection_;
    Condition& condition_;
};

inline constexpr const char* person_columns =
    "p.id, p.email, p.admin, p.password_hash, p.totp_confirmed, p.created_at";
/// Without the memberships.
[[nodiscard]] model::Person read_person(const Cursor& row);

inline constexpr const char* membership_columns = "m.account, m.role, m.since";
[[nodiscard]] model::Membership read_membership(const Cursor& row, int first);

inline constexpr const char* session_columns =
    "s.id, s.person, s.digest, s.sign_in, s.address, s.agent, s.created_at, s.seen_at";
[[nodiscard]] model::Session read_session(const Cursor& row);

}  // namespace merpati::store::sql
