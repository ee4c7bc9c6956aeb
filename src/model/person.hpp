// People who sign in, their roles in accounts, and their sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "model/ids.hpp"
#include "model/scope.hpp"

namespace merpati::model {

struct PersonTag {
    static constexpr std::string_view prefix = "per_";
};
struct SessionTag {
    static constexpr std::string_view prefix = "ses_";
};
struct AuditTag {
    static constexpr std::string_view prefix = "log_";
};
using PersonId = RowId<PersonTag>;
using SessionId = RowId<SessionTag>;
using AuditId = RowId<AuditTag>;

struct Membership {
    AccountId account;
    Role role = Role::viewer;
    Timestamp since;
    friend bool operator==(const Membership&, const Membership&) = default;
};

struct Person {
    PersonId id;
    std::string email;  // Normalised (people/email.hpp); unique.
    /// Administrator of the server: everything, in every account.
    bool is_admin = false;
    /// As libsodium's crypto_pwhash_str writes it; empty: the person can sign in only by a link.
    std::string password_hash;
    bool has_second_factor = false;       // A confirmed TOTP.
    std::vector<Membership> memberships;  // By account.
    Timestamp created_at;

    /// Empty if the person is no member of the account.
    [[nodiscard]] std::optional<Role> role_in(AccountId account) const noexcept;
};

/// How a session began. Stored as a number: append only.
enum class SignIn : std::uint8_t { password, link };
[[nodiscard]] std::string_view to_string(SignIn by) noexcept;

struct Session {
    SessionId id;
    PersonId person;
    Sha256 digest{};  // SHA-256 of the token; the token itself is never kept.
    SignIn by = SignIn::password;
    std::string address;  // Where it began: "203.0.113.7", "2001:db8:1:2::/64".
    std::string agent;    // The browser's User-Agent, cut to a limit.
    Timestamp created_at;
    Timestamp seen_at;  // Its last request; lags by up to a minute.
};

}  // namespace merpati::model
