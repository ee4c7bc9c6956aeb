// Single checks of a request: key, account, rate, sender, recipient.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "base/clock.hpp"

namespace merpati::admission {

/// The principal of the key in an `Authorization` header. Refuses every fault alike with
/// key_invalid: no header, another scheme, a malformed, unknown, expired or revoked key.
[[nodiscard]] Checked<Principal> authenticate(std::string_view authorization,
                                              const Directory& directory, Timestamp now);

/// The `Authorization` header that has the password of one with HTTP Basic (RFC 7617) as its key.
/// Empty: it has another scheme, or is malformed.
[[nodiscard]] std::optional<std::string> bearer_of_basic(std::string_view authorization);

/// The principal of a key that is live, with its rights now.
[[nodiscard]] Principal principal_of(KeyEntry entry, Timestamp now);

/// The principal of a session that is live, with its person's rights now.
[[nodiscard]] Principal principal_of(people::SignedIn signed_in, const Directory& directory,
                                     Timestamp now);

/// Whether the key is neither revoked nor expired.
[[nodiscard]] bool is_live(const model::ApiKey& key, Timestamp now) noexcept;

/// Refuses with account_expired if the account's validity is over.
[[nodiscard]] Checked<void> check_validity(const model::Account& account, Timestamp now);

/// Takes one request from the account's bucket. `server_default` is the rate of accounts without
/// one of their own. Empty if there is no limit: no `server_default`, or the account's "none".
[[nodiscard]] std::optional<RateVerdict> check_rate(
    const AccountEntry& account, const std::optional<model::Rate>& server_default, SteadyTime now);

/// The same for calls of the catalogue by the account's keys. They have a bucket of their own, so
/// that an account that polls too often can still send. Its rate is the server's or the account's
/// own, whichever is larger; there is no limit if one of them has none.
[[nodiscard]] std::optional<RateVerdict> check_call_rate(
    const AccountEntry& account, const std::optional<model::Rate>& server_default, SteadyTime now);

/// The rate that applies to an account, or empty for none.
[[nodiscard]] std::optional<model::Rate> effective_rate(
    const model::Account& account, const std::optional<model::Rate>& server_default);

/// The account's device with this number. Null alike for a missing, malformed, unknown or foreign
/// number.
[[nodiscard]] std::shared_ptr<const model::Device> find_sender(std::string_view number,
                                                               model::AccountId account,
                                                               const Directory& directory);

/// How long a reconnecting device still takes messages.
inline constexpr std::chrono::seconds reconnecting_max{30};

/// Whether the device takes messages: connected, or reconnecting for at most reconnecting_max.
[[nodiscard]] bool accepts_messages(const model::Device& device, Timestamp now) noexcept;

/// The country code that a number begins with, of E.164's list; 0: none.
[[nodiscard]] unsigned country_code_of(std::string_view digits) noexcept;

/// Whether a recipient is a possible number: 8 to 15 digits, no leading 0, a country code.
[[nodiscard]] bool recipient_possible(std::string_view recipient) noexcept;

/// Whether the digits are a country code of E.164's list.
[[nodiscard]] bool is_country_code(std::string_view digits) noexcept;

}  // namespace merpati::admission
