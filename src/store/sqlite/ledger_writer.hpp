// Writes the account books and the counts of usage.
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
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// Writes an account's book, in the transaction that changes its balance. Knows the newest row of
/// each book that it has written to, so that a commit costs one row, however many messages it
/// charges.
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
    /// Lets the newest row grow where it is of the same minute, else adds one.
    void add_messages(model::AccountId account, const Messages& messages);

    void add(model::AccountId account, LedgerEntry::Kind kind, std::int64_t amount,
             std::optional<std::int64_t> balance, const CreditNote& note);

    /// After a rollback: rows that were written may be gone.
    void forget() { newest_.clear(); }

private:
    struct Newest {
        std::int64_t number = 0;  // 0: the book is empty.
        LedgerEntry::Kind kind = LedgerEntry::Kind::opening;
        Timestamp begun_at;
    };
    Newest& newest_of(model::AccountId account);

    Statement find_newest_;
    Statement insert_;
    Statement grow_;
    std::unordered_map<model::AccountId, Newest> newest_;
};

/// Counts ended messages by the hour. `flush` writes what was counted since the last one. Knows the
/// rows that it has written to: a commit adds to one of each device and outcome, and to find it
/// anew costs more than to write it.
class UsageWriter {
public:
    explicit UsageWriter(Connection& connection);

    void count(const model::Message& message, const model::Completion& completion);
    void flush();
    /// After a rollback: rows that were written may be gone.
    void forget();

private:
    static constexpr std::size_t numbers_max = 4096;

    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, int, int, int>;

    [[nodiscard]] std::int64_t add(const Key& key, std::int64_t messages);

    Statement add_;
    Statement grow_;
    std::map<Key, std::int64_t> counts_;  // By account, hour, device, source, state and code.
    std::map<Key, std::int64_t> numbers_;
};

}  // namespace merpati::store::sqlite
