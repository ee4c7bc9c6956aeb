// Writes the ledgers of accounts and the counts of usage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/ledger.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/damaged_rows.hpp"

namespace merpati::store::sql {

/// Writes the ledger of an account, in the transaction that changes its balance. Caches the newest
/// row of each ledger that it has written to, so that a commit writes one row per account, however
/// many messages it charges.
class LedgerWriter {
public:
    explicit LedgerWriter(Connection& connection);

    struct Messages {
        std::int64_t charged = 0;
        std::int64_t refunded = 0;
        std::int64_t amount = 0;
        std::optional<std::int64_t> balance;  // Afterwards.
        Timestamp at;
    };
    /// Adds to the newest row if it is a row of messages in the same minute, otherwise adds a row.
    /// Leaves out the accounts of which this has met damage.
    void add_messages(model::AccountId account, const Messages& messages);

    void add(model::AccountId account, LedgerEntry::Kind kind, std::int64_t amount,
             std::optional<std::int64_t> balance, const CreditNote& note);

    /// Adds a row of kind `reserved` or `released`, by the sign of `amount`. Leaves out accounts as
    /// `add_messages` does.
    void add_reserve(model::AccountId account, std::int64_t amount, std::int64_t balance,
                     const CreditNote& note);

    /// What the ledger and the messages of an account no longer tell (ledger_check.cpp).
    struct Pruned {
        std::int64_t charged = 0;   // Messages.
        std::int64_t reserved = 0;  // Credit.
    };
    /// Adds to the account's row of `ledger_pruned`.
    void keep_pruned(model::AccountId account, const Pruned& pruned);

    /// Call after a rollback, which may have removed written rows.
    void forget() { newest_.clear(); }
    /// Call after other code has written to the ledger of the account.
    void forget(model::AccountId account) { newest_.erase(account); }
    /// The same, if the newest row has not this number.
    void expect_newest(model::AccountId account, std::int64_t number) {
        const auto found = newest_.find(account);
        if (found != newest_.end() && found->second.number != number) {
            newest_.erase(found);
        }
    }

private:
    struct Newest {
        std::int64_t number = 0;  // 0: the ledger is empty.
        LedgerEntry::Kind kind = LedgerEntry::Kind::opening;
        Timestamp begun_at;
    };
    Newest& newest_of(model::AccountId account);
    void write_messages(model::AccountId account, const Messages& messages);

    Statement find_newest_;
    Statement insert_;
    Statement grow_;
    Statement keep_pruned_;
    std::unordered_map<model::AccountId, Newest> newest_;
    DamagedRows<std::int64_t> damaged_;  // By account.
};

/// Counts ended messages by the hour; `flush` writes the counts since the last `flush`. Caches the
/// numbers of rows that it has written to: a commit adds to one row per device and outcome, and
/// finding that row costs more than writing it. Retention may remove such a row; it is then found
/// or made anew. A row that is written often gets another number now and then
/// (Connection::new_number).
class UsageWriter {
public:
    explicit UsageWriter(Connection& connection);

    void count(const model::Message& message, const model::Completion& completion);
    /// Leaves out the accounts of which this has met damage.
    void flush();
    /// Call after a rollback, which may have removed written rows.
    void forget();
    /// Call after retention has removed rows, whose numbers may be given again.
    void forget_rows() { rows_.clear(); }

    /// Updates of a row under one number, where that is bounded.
    static constexpr int updates_max = 200;

private:
    static constexpr std::size_t rows_max = 4096;

    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, int, int, int>;

    struct Count {
        std::int64_t messages = 0;
        bool has_row = true;  // False: the row that was known is gone.
        bool is_renumbered = false;
        std::optional<std::int64_t> found{};  // The number of a row that was found, or has a new
        std::optional<std::int64_t> made{};   // one, and of one that was made.
    };
    struct Row {
        std::int64_t number = 0;
        int updates = 0;  // Under this number.
    };
    void write(const Key& key, Count& count);
    void add(const Key& key, Count& count);

    Connection& connection_;
    Statement find_;
    Statement insert_;
    Statement grow_;
    std::optional<Statement> renumber_;
    std::map<Key, Count> counts_;        // By account, hour, device, source, state and code.
    std::map<Key, Row> rows_;            // Those written to.
    DamagedRows<std::int64_t> damaged_;  // By account.
};

}  // namespace merpati::store::sql
