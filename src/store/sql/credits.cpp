#include "store/sql/credits.hpp"

#include <fmt/format.h>

namespace merpati::store::sql {
namespace {

constexpr std::string_view select_balance = "SELECT credit FROM account WHERE id = ?1";
constexpr std::string_view select_balance_and_newest =
    "SELECT credit, coalesce((SELECT max(number) FROM ledger WHERE account = ?1), 0) FROM account "
    "WHERE id = ?1";

}  // namespace

Credits::Credits(Connection& connection)
    : lock_(connection),
      select_(connection,
              connection.has_other_writers() ? select_balance_and_newest : select_balance),
      update_(connection, "UPDATE account SET credit = ?2 WHERE id = ?1", 2),
      has_other_writers_(connection.has_other_writers()),
      ledger_(connection) {
    if (const auto place = connection.row_place(); !place.empty()) {
        const auto is_there = connection.is_at(2);
        lock_at_place_.emplace(connection,
                               fmt::format("SELECT {} FROM account WHERE id = ?1 AND {}{}", place,
                                           is_there, connection.for_update()));
        select_at_place_.emplace(connection,
                                 fmt::format("{} AND {}", select_balance_and_newest, is_there));
    }
}

Credits::Balance& Credits::balance_of(model::AccountId account) {
    const auto [found, is_new] = balances_.try_emplace(account);
    auto& balance = found->second;
    if (is_new && !read_at_place(account, balance)) {
        lock_.take(account);
        auto row = select_.query(account.value);
        if (row.next()) {
            read(row, account, balance);
        }
    }
    return balance;
}

/// False: it is not known where the row is, or it is not there any more.
bool Credits::read_at_place(model::AccountId account, Balance& balance) {
    const auto place = lock_at_place_ ? update_.place_of(account.value) : std::nullopt;
    if (!place) {
        return false;
    }
    std::optional<std::int64_t> locked;
    lock_at_place_->run_returning(locked, account.value, *place);
    auto row = select_at_place_->query(account.value, *place);
    if (!row.next() || !locked) {
        return false;
    }
    read(row, account, balance);
    return true;
}

/// Other programs may have added to the ledger since it was written here.
void Credits::read(Cursor& row, model::AccountId account, Balance& balance) {
    balance.credit = row.null(0) ? std::nullopt : std::optional{row.integer(0)};
    if (has_other_writers_) {
        ledger_.expect_newest(account, row.integer(1));
    }
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
    ledger_.keep_pruned(account, {.reserved = -1});
}

void Credits::set(model::AccountId account, LedgerEntry::Kind kind,
                  std::optional<std::int64_t> credit, const CreditNote& note) {
    flush();
    auto& balance = balance_of(account);
    if (const auto before = balance.credit; credit != before) {
        balance.credit = credit;
        update_.run(account.value, credit);
        ledger_.add(account, kind, credit.value_or(0) - before.value_or(0), credit, note);
    }
    flush();
}

void Credits::flush() {
    for (auto& [account, balance] : balances_) {
        if (balance.messages.charged != 0 || balance.messages.refunded != 0 ||
            !balance.moves.empty()) {
            write(account, balance);
        }
    }
    for (const auto id : update_.missed()) {
        update_.run(id, balances_.at(model::AccountId{id}).credit);
    }
    (void)update_.missed();  // By their ids, none is missed.
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
    update_.forget();
    ledger_.forget();
}

}  // namespace merpati::store::sql
