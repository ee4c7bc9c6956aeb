// The methods of StoredTables for accounts and keys.
#include <optional>
#include <string>
#include <string_view>

#include "store/sql/account_lock.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_tables.hpp"

namespace merpati::store::sql {
namespace {

std::optional<std::string_view> revision_word(const model::ApiKey& key) {
    return key.revision ? std::optional{model::to_string(*key.revision)} : std::nullopt;
}

std::optional<std::string> text_of(const std::optional<model::CallbackBatch>& batch) {
    return batch.transform([](const auto& one) { return one.text(); });
}

}  // namespace

Result<std::optional<model::Account>> StoredTables::find_account(model::AccountId id) {
    return sql::find_account(connection_, secrets_, id);
}

Result<model::Account> StoredTables::written_account(model::AccountId id) {
    auto account = find_account(id);
    if (!account) {
        return pass(account);
    }
    if (!*account) {
        return fail(ErrorCode::not_found, "there is no such account");
    }
    row_changes_.emplace_back(**account);
    return **std::move(account);
}

Result<model::AccountId> StoredTables::create_account(const model::Account& account) {
    const auto secret = secrets_.seal(account.webhook_secret);
    Statement insert{connection_,
                     "INSERT INTO account(name, plan, credit, expires_at, rate, callback_url, "
                     "delivery, devices_max, webhook_secret, created_at, country, callback_batch) "
                     "VALUES(?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id"};
    const model::AccountId id{insert_row(
        insert, account.name, model::to_string(account.plan), account.credit, account.expires_at,
        account.rate.text(), account.callback_url, model::to_string(account.delivery),
        account.devices_max, std::span<const std::byte>{secret}, account.created_at,
        account.country, text_of(account.callback_batch))};
    if (account.credit) {
        writer_.credits().ledger().add(id, LedgerEntry::Kind::opening, *account.credit,
                                       account.credit, {.at = account.created_at});
    }
    if (auto written = written_account(id); !written) {
        return pass(written);
    }
    return id;
}

Result<model::Account> StoredTables::update_account(model::AccountId account,
                                                    const AccountPatch& patch) {
    const auto rate = patch.rate ? std::optional{patch.rate->text()} : std::nullopt;
    Statement update{
        connection_,
        "UPDATE account SET name = coalesce(?2, name), plan = coalesce(?3, plan), "
        "expires_at = CASE WHEN ?4 <> 0 THEN ?5 ELSE expires_at END, rate = coalesce(?6, rate), "
        "callback_url = coalesce(?7, callback_url), "
        "delivery = coalesce(?8, delivery), "
        "devices_max = coalesce(?9, devices_max), country = coalesce(?10, country), "
        "callback_batch = CASE WHEN ?11 <> 0 THEN ?12 ELSE callback_batch END "
        "WHERE id = ?1"};
    update.run(account.value, patch.name, word_of(patch.plan), patch.expires_at.has_value(),
               patch.expires_at.value_or(std::nullopt), rate, patch.callback_url,
               word_of(patch.delivery), patch.devices_max, patch.country,
               patch.callback_batch.has_value(),
               text_of(patch.callback_batch.value_or(std::nullopt)));
    return written_account(account);
}

Result<void> StoredTables::rotate_webhook_secret(model::AccountId account, const Bytes& secret,
                                                 Timestamp until) {
    const auto sealed = secrets_.seal(secret);
    Statement update{connection_,
                     "UPDATE account SET webhook_secret_previous = webhook_secret, "
                     "webhook_secret = ?2, previous_secret_until = ?3 WHERE id = ?1"};
    update.run(account.value, std::span<const std::byte>{sealed}, until);
    auto written = written_account(account);
    return written ? Result<void>{} : pass(written);
}

Result<void> StoredTables::set_credit(model::AccountId account, std::optional<std::int64_t> credit,
                                      const CreditNote& note) {
    if (!credit) {
        campaigns_.release_reserves(account, note.at);
    }
    if (auto known = check_known(account); !known) {
        return known;
    }
    writer_.credits().set(account, LedgerEntry::Kind::set, credit, note);
    auto written = written_account(account);
    return written ? Result<void>{} : pass(written);
}

Result<std::int64_t> StoredTables::add_credit(model::AccountId account, std::int64_t amount,
                                              const CreditNote& note) {
    if (auto known = check_known(account); !known) {
        return pass(known);
    }
    std::int64_t balance = 0;
    const auto before = writer_.credits().balance(account).value_or(0);
    if (__builtin_add_overflow(before, amount, &balance) || balance < 0) {
        return fail(ErrorCode::invalid_argument, "the balance would be below 0 or too large");
    }
    const auto kind = amount < 0 ? LedgerEntry::Kind::deduction : LedgerEntry::Kind::topup;
    writer_.credits().set(account, kind, balance, note);
    auto written = written_account(account);
    return written ? Result<std::int64_t>{balance} : pass(written);
}

Result<void> StoredTables::check_known(model::AccountId account) {
    Statement find{connection_, "SELECT 1 FROM account WHERE id = ?"};
    return find.query(account.value).next()
               ? Result<void>{}
               : fail(ErrorCode::not_found, "there is no such account");
}

Result<std::optional<model::ApiKey>> StoredTables::find_key(model::KeyId id) {
    Statement find{connection_,
                   std::string{"SELECT "} + key_columns + " FROM api_key WHERE id = ?"};
    return first_row(find.query(id.value), read_key);
}

Result<model::ApiKey> StoredTables::written_key(model::KeyId id) {
    auto key = find_key(id);
    if (!key) {
        return pass(key);
    }
    if (!*key) {
        return fail(ErrorCode::not_found, "there is no such key");
    }
    row_changes_.emplace_back(**key);
    return **std::move(key);
}

Result<std::size_t> StoredTables::count_live_keys(model::AccountId account, Timestamp now) {
    AccountLock{connection_}.take(account);
    // Two searches in api_key_live, because an OR of both would visit the expired ones as well.
    Statement count{
        connection_,
        "SELECT (SELECT count(*) FROM api_key WHERE account = ?1 AND revoked_at IS NULL "
        "AND expires_at IS NULL) + (SELECT count(*) FROM api_key WHERE account = ?1 "
        "AND revoked_at IS NULL AND expires_at > ?2)"};
    return static_cast<std::size_t>(first_integer(count.query(account.value, now)));
}

Result<model::KeyId> StoredTables::create_key(const model::ApiKey& key) {
    Statement insert{connection_,
                     "INSERT INTO api_key(account, name, hint, digest, revision, created_at, "
                     "expires_at, revoked_at, scopes) VALUES(?,?,?,?,?,?,?,?,?) RETURNING id"};
    const model::KeyId id{insert_row(
        insert, key.account.value, key.name, key.hint, std::span<const std::byte>{key.digest},
        revision_word(key), key.created_at, key.expires_at, key.revoked_at, key.scopes.text())};
    remove_spare_keys(key.account, key.created_at);
    if (auto written = written_key(id); !written) {
        return pass(written);
    }
    return id;
}

/// Removes the oldest keys of the account that are not valid, if it has very many keys. Two for
/// each new one, so that an account that had too many has fewer after a while.
void StoredTables::remove_spare_keys(model::AccountId account, Timestamp now) {
    constexpr std::size_t removed_max = 2;
    {
        Statement spare{connection_, "SELECT 1 FROM api_key WHERE account = ? LIMIT 1 OFFSET ?"};
        if (!spare.query(account.value, keys_kept_max).next()) {
            return;
        }
    }
    std::vector<model::ApiKey> found;
    {
        Statement find{connection_, std::string{"SELECT "} + key_columns +
                                        " FROM api_key WHERE account = ?1 AND (revoked_at IS NOT "
                                        "NULL OR expires_at <= ?2) ORDER BY id LIMIT ?3"};
        found = all_rows(find.query(account.value, now, removed_max), read_key);
    }
    for (const auto& key : found) {
        remove_key(key);
    }
}

void StoredTables::remove_key(const model::ApiKey& key) {
    Statement remove{connection_, "DELETE FROM api_key WHERE id = ?"};
    remove.run(key.id.value);
    row_changes_.emplace_back(KeyRemoved{key});
}

bool StoredTables::prune_key(const PruneLimits& limits) {
    for (const char* condition : {"revoked_at < ?1 ORDER BY revoked_at LIMIT 1",
                                  "expires_at < ?1 ORDER BY expires_at LIMIT 1"}) {
        std::optional<model::ApiKey> old;
        {
            Statement find{connection_, std::string{"SELECT "} + key_columns +
                                            " FROM api_key WHERE " + condition};
            if (auto row = find.query(limits.keys_before); row.next()) {
                old = read_key(row);
            }
        }
        if (old) {
            remove_key(*old);
            return true;
        }
    }
    return false;
}

Result<model::ApiKey> StoredTables::revoke_key(model::KeyId key, Timestamp at) {
    Statement update{connection_,
                     "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1"};
    update.run(key.value, at);
    return written_key(key);
}

Result<model::ApiKey> StoredTables::expire_key(model::KeyId key, Timestamp at) {
    Statement update{
        connection_,
        "UPDATE api_key SET expires_at = CASE WHEN expires_at < ?2 THEN expires_at ELSE ?2 END "
        "WHERE id = ?1"};
    update.run(key.value, at);
    return written_key(key);
}

}  // namespace merpati::store::sql
