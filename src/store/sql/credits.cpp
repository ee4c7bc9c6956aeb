#include "store/sql/credits.hpp"

namespace merpati::store::sql {

Credits::Credits(Connection& connection)
    : lock_(connection),
      select_(connection, connection.has_other_writers()
                              ? "SELECT credit, coalesce((SELECT max(number) FROM ledger WHERE "
                                "account = ?1), 0) FROM account WHERE id = ?1"
                              : "SELECT credit FROM account WHERE id = ?"),
      update_(connection, "UPDATE account SET credit = ?2 WHERE id = ?1"),
      forget_reserved_(connection,
                       "INSERT INTO ledger_pruned(account, charged, reserved) VALUES(?, 0, -1) "
                       "ON CONFLICT(account) DO UPDATE SET reserved = ledger_pruned.reserved - 1"),
      has_other_writers_(connection.has_other_writers()),
      ledger_(connection) {}

/// Other programs may have added to the ledger since it was written here.
Credits::Balance& Credits::balance_of(model::AccountId account) {
    const auto [found, is_new] = balances_.try_emplace(account);
    if (is_new) {
        lock_.take(account);
        auto row = select_.query(account.value);
        if (row.next()) {
            found->second.credit = row.null(0) ? std::nullopt : std::optional{row.integer(0)};
            if (has_other_writers_) {
                ledger_.expect_newest(account, row.integer(1));
            }
        }
    }
    return found->second;
}

Credits::Charge Credits::charge(model::AccountId account, Timestamp at) {
    auto& balance = balance_of(account);
    if (!balance.credit) {
        return Charge::uncounted;
    }
    if (*balance.credit <= 0) {
        return Charge::exhausted;
    }
    --*balance.credit;
    ++balance.messages.charged;
    --balance.messages.amount;
    balance.messages.at = at;
    return Charge::charged;
}

void Credits::refund(model::AccountId account, Timestamp at) {
    auto& balance = balance_of(account);
    ++balance.messages.refunded;
    balance.messages.at = at;
    if (balance.credit) {
        ++*balance.credit;
        ++balance.messages.amount;
    }
}

Credits::Charge Credits::reserve(model::AccountId account, model::CampaignId campaign,
                                 std::int64_t credit, Timestamp at) {
    auto& balance = balance_of(account);
    if (!balance.credit) {
        return Charge::uncounted;
    }
    if (*balance.credit < credit) {
        return Charge::exhausted;
    }
    move(balance, {.campaign = campaign, .amount = -credit, .at = at});
    return Charge::charged;
}

void Credits::release(model::AccountId account, model::CampaignId campaign, std::int64_t credit,
                      Timestamp at) {
    if (auto& balance = balance_of(account); balance.credit) {
        move(balance, {.campaign = campaign, .amount = credit, .at = at});
    }
}

/// Moves of a campaign in one batch are one row of the ledger if they have the same sign.
void Credits::move(Balance& balance, const Move& move) {
    *balance.credit += move.amount;
    for (auto& earlier : balance.moves) {
        if (earlier.campaign == move.campaign && (earlier.amount < 0) == (move.amount < 0)) {
            earlier.amount += move.amount;
            earlier.at = move.at;
            return;
        }
    }
    balance.moves.push_back(move);
}

void Credits::charge_reserve(model::AccountId account, Timestamp at) {
    auto& messages = balance_of(account).messages;
    ++messages.charged;
    messages.at = at;
}

void Credits::refund_reserve(model::AccountId account, Timestamp at) {
    auto& messages = balance_of(account).messages;
    ++messages.refunded;
    messages.at = at;
}

void Credits::refund_uncounted(model::AccountId account, Timestamp at) {
    refund(account, at);
    forget_reserved_.run(account.value);
}

void Credits::flush() {
    for (auto& [account, balance] : balances_) {
        if (balance.messages.charged != 0 || balance.messages.refunded != 0 ||
            !balance.moves.empty()) {
            write(account, balance);
        }
    }
    balances_.clear();
}

void Credits::write(model::AccountId account, Balance& balance) {
    update_.run(account.value, balance.credit);
    auto standing = balance.credit;
    for (const auto& move : balance.moves) {
        *standing -= move.amount;
    }
    if (balance.messages.charged != 0 || balance.messages.refunded != 0) {
        balance.messages.balance = standing;
        ledger_.add_messages(account, balance.messages);
    }
    for (const auto& move : balance.moves) {
        *standing += move.amount;
        ledger_.add_reserve(account, move.amount, *standing,
                            {.at = move.at, .reason = move.campaign.text()});
    }
}

void Credits::forget() {
    balances_.clear();
    ledger_.forget();
}

}  // namespace merpati::store::sql
