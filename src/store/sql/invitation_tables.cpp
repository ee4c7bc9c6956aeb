// The methods of StoredPeople and StoredPeopleReader for invitations.
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/sql/account_lock.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_people.hpp"

namespace merpati::store::sql {
namespace {

using Blob = std::span<const std::byte>;

constexpr const char* columns =
    "SELECT id, account, email, role, digest, inviter, inviter_name, created_at, expires_at "
    "FROM invitation WHERE ";

model::Invitation read_invitation(const Cursor& row) {
    return {.id = {row.integer(0)},
            .account = {row.integer(1)},
            .email = std::string{row.text(2)},
            .role = model::parse_role(row.text(3)).value_or(model::Role::viewer),
            .digest = digest_of(row.blob(4)),
            .inviter = std::string{row.text(5)},
            .inviter_name = std::string{row.text(6)},
            .created_at = row.time(7),
            .expires_at = row.time(8)};
}

/// `lock`: as Connection::for_update.
template <class Key>
std::optional<model::Invitation> first_where(Connection& connection, const char* condition,
                                             const Key& key, Timestamp now,
                                             std::string_view lock = {}) {
    Statement find{connection, (std::string{columns} + condition).append(lock)};
    return first_row(find.query(key, now), read_invitation);
}

constexpr const char* by_digest = "digest = ? AND expires_at > ?";

}  // namespace

Result<model::Invitation> StoredPeople::put_invitation(const model::Invitation& invitation) {
    AccountLock{connection_}.take(invitation.account);
    Statement forget{connection_,
                     "DELETE FROM invitation WHERE account = ?1 AND (expires_at <= ?2 OR "
                     "email = ?3)"};
    forget.run(invitation.account.value, invitation.created_at, invitation.email);
    {
        Statement count{connection_, "SELECT count(*) FROM invitation WHERE account = ?"};
        auto row = count.query(invitation.account.value);
        if (row.next() && row.integer(0) >= static_cast<std::int64_t>(invitations_max)) {
            return fail(ErrorCode::refused,
                        fmt::format("the account has {} invitations: wait until people accept "
                                    "them, or revoke some",
                                    invitations_max));
        }
    }
    Statement insert{connection_,
                     "INSERT INTO invitation(account, email, role, digest, inviter, inviter_name, "
                     "created_at, expires_at) VALUES(?,?,?,?,?,?,?,?) RETURNING id"};
    auto made = invitation;
    made.id = {insert_row(insert, invitation.account.value, invitation.email,
                          model::to_string(invitation.role), Blob{invitation.digest},
                          invitation.inviter, invitation.inviter_name, invitation.created_at,
                          invitation.expires_at)};
    row_changes_.emplace_back(InvitationChanged{.invitation = made});
    return made;
}

/// Locked, so that of two programs that are given it at once, one finds it accepted.
Result<std::optional<model::Invitation>> StoredPeople::find_invitation(const Sha256& digest,
                                                                       Timestamp now) {
    return first_where(connection_, by_digest, Blob{digest}, now, connection_.for_update());
}

Result<std::optional<model::Invitation>> StoredPeople::find_invitation(model::InvitationId id,
                                                                       Timestamp now) {
    return first_where(connection_, "id = ? AND expires_at > ?", id.value, now);
}

Result<void> StoredPeople::remove_invitation(model::InvitationId id) {
    auto known = first_where(connection_, "id = ? AND expires_at > ?", id.value, Timestamp{});
    if (!known) {
        return {};
    }
    Statement remove{connection_, "DELETE FROM invitation WHERE id = ?"};
    remove.run(id.value);
    row_changes_.emplace_back(InvitationChanged{.invitation = *std::move(known), .removed = true});
    return {};
}

Result<std::vector<model::Invitation>> StoredPeopleReader::invitations(model::AccountId account,
                                                                       Timestamp now) {
    return guarded([&]() -> Result<std::vector<model::Invitation>> {
        Statement list{connection_,
                       std::string{columns} + "account = ? AND expires_at > ? ORDER BY email"};
        return all_rows(list.query(account.value, now), read_invitation);
    });
}

Result<std::optional<model::Invitation>> StoredPeopleReader::invitation(const Sha256& digest,
                                                                        Timestamp now) {
    return guarded([&]() -> Result<std::optional<model::Invitation>> {
        return first_where(connection_, by_digest, Blob{digest}, now);
    });
}

}  // namespace merpati::store::sql
