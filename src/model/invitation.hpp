// Invitations of people to accounts.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "model/ids.hpp"
#include "model/scope.hpp"

namespace merpati::model {

struct InvitationTag {
    static constexpr std::string_view prefix = "inv_";
};
using InvitationId = RowId<InvitationTag>;

/// The offer of a role in an account to whoever has its link and can act as the person of the
/// e-mail address. The person becomes a member by accepting it, which also ends it.
struct Invitation {
    InvitationId id;
    AccountId account;
    std::string email;  // Normalised; at most one invitation of an account has it.
    Role role = Role::viewer;
    Sha256 digest{};  // SHA-256 of the link's token; the token itself is never kept.
    /// Who made it, as the log of changes names callers: "per_1", "key_3", "local".
    std::string inviter;
    std::string inviter_name;  // "ani@toko.example", "mpt_9fK2".
    Timestamp created_at;
    Timestamp expires_at;
};

}  // namespace merpati::model
