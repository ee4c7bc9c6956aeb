// The single checks of what a request names: key, account, sender, recipient.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "base/clock.hpp"

namespace merpati::admission {

/// Which account's key an `Authorization` header holds. key_invalid for every fault alike: no
/// header, another scheme, a malformed, unknown, expired or revoked key.
[[nodiscard]] Checked<Principal> authenticate(std::string_view authorization,
                                              const Directory& directory, Timestamp now);

/// What a key that works opens.
[[nodiscard]] Principal principal_of(KeyEntry entry, Timestamp now);

/// Whether the key works: neither revoked nor expired.
[[nodiscard]] bool is_live(const model::ApiKey& key, Timestamp now) noexcept;

/// account_expired when the account's validity is over.
[[nodiscard]] Checked<void> check_validity(const model::Account& account, Timestamp now);

/// Takes one request out of the account's bucket. `server_default` serves accounts without a rate
/// of their own; empty, like an account's "none", means no limit and no verdict.
[[nodiscard]] std::optional<RateVerdict> check_rate(
    const AccountEntry& account, const std::optional<model::Rate>& server_default, SteadyTime now);

/// The same, for calls of the catalogue by the account's keys. They are counted apart, so that who
/// asks too often what became of messages can send all the same; at the server's rate or at the
/// account's own, whichever is larger, so that who may send seldom can ask.
[[nodiscard]] std::optional<RateVerdict> check_call_rate(
    const AccountEntry& account, const std::optional<model::Rate>& server_default, SteadyTime now);

/// The rate that applies to an account, or empty for none.
[[nodiscard]] std::optional<model::Rate> effective_rate(
    const model::Account& account, const std::optional<model::Rate>& server_default);

/// The sender, when the number is one of the account's devices; a missing, malformed, unknown and
/// foreign one give the same empty answer.
[[nodiscard]] std::shared_ptr<const model::Device> find_sender(std::string_view number,
                                                               model::AccountId account,
                                                               const Directory& directory);

/// How long a device that lost its connection may still be called "reconnecting".
inline constexpr std::chrono::seconds reconnecting_max{30};

/// Whether the device takes messages: connected, or reconnecting for at most reconnecting_max.
[[nodiscard]] bool accepts_messages(const model::Device& device, Timestamp now) noexcept;

/// Whether a recipient is a possible number: 8 to 15 digits, no leading 0, a country code of
/// E.164's list.
[[nodiscard]] bool recipient_possible(std::string_view recipient) noexcept;

}  // namespace merpati::admission
