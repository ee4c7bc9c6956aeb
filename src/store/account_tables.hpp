// Accounts, their credit and their keys, as a Change reads and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"
#include "store/ledger.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// New values of an account's fields; empty fields stay as they are.
struct AccountPatch {
    std::optional<std::string> name;
    std::optional<model::Plan> plan;
    std::optional<std::optional<Timestamp>> expires_at;  // Empty inside: never.
    std::optional<model::RateChoice> rate;
    std::optional<std::string> callback_url;
    std::optional<model::Delivery> delivery;
    std::optional<std::uint32_t> devices_max;
    std::optional<std::string> country;
    std::optional<std::optional<model::CallbackBatch>> callback_batch;  // Empty inside: none.
};

/// A part of Tables.
class AccountTables {
public:
    virtual ~AccountTables() = default;

    virtual Result<std::optional<model::Account>> find_account(model::AccountId id) = 0;
    /// Assigns the account's id and returns it.
    virtual Result<model::AccountId> create_account(const model::Account& account) = 0;
    /// Returns the updated account. Errors: not_found.
    virtual Result<model::Account> update_account(model::AccountId account,
                                                  const AccountPatch& patch) = 0;
    /// The previous secret signs beside the new one until `until`.
    /// Errors: not_found.
    virtual Result<void> rotate_webhook_secret(model::AccountId account, const Bytes& secret,
                                               Timestamp until) = 0;
    // Both add a row to the account's ledger if they change the balance.
    /// Empty: credit is no longer counted; the reserves of campaigns are given back before. Errors:
    /// not_found.
    virtual Result<void> set_credit(model::AccountId account, std::optional<std::int64_t> credit,
                                    const CreditNote& note) = 0;
    /// Adds to the balance (an uncounted one starts at 0) and returns the new one.
    /// Errors: not_found, invalid_argument (the balance would be negative or overflow).
    virtual Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount,
                                            const CreditNote& note) = 0;

    virtual Result<std::optional<model::ApiKey>> find_key(model::KeyId id) = 0;
    /// How many keys of the account are valid at `now`.
    virtual Result<std::size_t> count_live_keys(model::AccountId account, Timestamp now) = 0;
    /// An account keeps at most `keys_kept_max` keys that are not valid: the oldest are removed.
    virtual Result<model::KeyId> create_key(const model::ApiKey& key) = 0;
    static constexpr std::size_t keys_kept_max = 1'000;
    /// Revokes the key, unless it is revoked already. Returns the key as stored now.
    /// Errors: not_found.
    virtual Result<model::ApiKey> revoke_key(model::KeyId key, Timestamp at) = 0;
    /// The key expires at `at`, or earlier if it did before. Returns the updated key.
    /// Errors: not_found.
    virtual Result<model::ApiKey> expire_key(model::KeyId key, Timestamp at) = 0;
};

}  // namespace merpati::store
