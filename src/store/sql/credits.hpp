// The balances of accounts, as a batch changes them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "store/sql/account_lock.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/ledger_writer.hpp"
#include "store/sql/placed_update.hpp"

namespace merpati::store::sql {

/// The balances of a batch's accounts. Each balance is read and written once, with its ledger row,
/// however many messages are charged. Call `flush` before other code reads balances. Until the
/// transaction ends no other program changes a balance that was read.
///
/// A campaign reserves credit for its messages. They are charged from its reserve, which is kept
/// with the campaign: the balance changes when credit is reserved or released.
class Credits {
public:
    explicit Credits(Connection& connection);

    enum class Charge : std::uint8_t { charged, uncounted, exhausted };
    /// Takes one credit. `uncounted`: the account's credit is not counted.
    [[nodiscard]] Charge charge(model::AccountId account, Timestamp at);
    /// Call only for a message that was charged.
    void refund(model::AccountId account, Timestamp at);

    /// Empty: the account's credit is not counted.
    [[nodiscard]] std::optional<std::int64_t> balance(model::AccountId account) {
        return balance_of(account).credit;
    }
    /// Takes credit for a reserve. `exhausted`: there is less, and nothing was taken.
    [[nodiscard]] Charge reserve(model::AccountId account, model::CampaignId campaign,
                                 std::int64_t credit, Timestamp at);
    /// Gives credit of a reserve back. Does nothing if the account's credit is not counted.
    void release(model::AccountId account, model::CampaignId campaign, std::int64_t credit,
                 Timestamp at);
    // A message is charged from a reserve, or its credit returns there. The ledger counts it; the
    // caller changes the reserve.
    void charge_reserve(model::AccountId account, Timestamp at);
    void refund_reserve(model::AccountId account, Timestamp at);
    /// Refunds a message that was charged from a reserve, of an account whose credit is no longer
    /// counted.
    void refund_uncounted(model::AccountId account, Timestamp at);

    /// Sets the balance, with a row of the ledger, unless it is that already. Flushes. The account
    /// must exist.
    void set(model::AccountId account, LedgerEntry::Kind kind, std::optional<std::int64_t> credit,
             const CreditNote& note);

    void flush();
    /// Call after a rollback.
    void forget();

    LedgerWriter& ledger() { return ledger_; }

private:
    /// A change of the balance by a reserve.
    struct Move {
        model::CampaignId campaign;
        std::int64_t amount = 0;
        Timestamp at;
    };
    struct Balance {
        std::optional<std::int64_t> credit;
        LedgerWriter::Messages messages;
        std::vector<Move> moves;
    };
    Balance& balance_of(model::AccountId account);
    [[nodiscard]] bool read_at_place(model::AccountId account, Balance& balance);
    void read(Cursor& row, model::AccountId account, Balance& balance);
    void move(Balance& balance, const Move& move);
    void write(model::AccountId account, Balance& balance);

    AccountLock lock_;
    Statement select_;
    std::optional<Statement> lock_at_place_;
    std::optional<Statement> select_at_place_;
    PlacedUpdate update_;
    const bool has_other_writers_;
    LedgerWriter ledger_;
    std::unordered_map<model::AccountId, Balance> balances_;
};

}  // namespace merpati::store::sql
