// Callbacks whose first attempt has not ended yet, in one row for each commit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/callback.hpp"
#include "store/condition.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// What StoreOptions::journal_callbacks is about. A callback that is delivered at once needs its
/// row in `callback` for its history alone. Written when it is made, that row is written twice and
/// stands in an index meanwhile: a fifth of what the store does for a message. So the callbacks
/// that a commit makes are kept together as one row of `callback_journal`, and here in memory; the
/// row in `callback` is written once, with the result of the first attempt, in the transaction that
/// records it. A journal row goes with the last of its callbacks.
///
/// Durability: a callback is in the journal or in `callback` after every commit. What a process
/// leaves in the journal is given its rows when the store is opened, before anybody reads.
///
/// Limits: a callback stands here for `commits_max` commits at most, and until the committer has
/// been idle for a moment; then it gets a row that waits, and its endpoint is reported. So do the
/// oldest when there are more than `callbacks_max`.
///
/// Errors: Failure, of every method that writes.
///
/// Threads: one, the store's.
class CallbackJournal {
public:
    static constexpr std::int64_t commits_max = 128;
    static constexpr std::size_t callbacks_max = 16'384;

    explicit CallbackJournal(Connection& connection);

    /// Reads what the last process left. A row that cannot be read is noted, and stays.
    void load(Condition& condition);

    void add(const model::Callback& callback);

    [[nodiscard]] bool holds(std::int64_t event) const { return callbacks_.contains(event); }
    [[nodiscard]] bool empty() const { return commits_.empty(); }

    /// Takes a callback out: its row in `callback` is to be written in this transaction. Null: it
    /// is not here. Valid until the transaction ends.
    [[nodiscard]] const model::Callback* take(const model::EventId& event);

    /// Takes out those that have been here for too long, or all.
    [[nodiscard]] std::vector<const model::Callback*> take_late(bool all);

    /// After damage where their rows were to be written: the callbacks stay here until the store is
    /// opened again.
    void keep_late() { keeps_late_ = true; }
    /// False after that: further callbacks are to be written to `callback`.
    [[nodiscard]] bool accepts() const { return !keeps_late_; }

    /// Writes the transaction's journal row and removes those whose callbacks have all left.
    void flush();
    void committed();
    /// After a rollback.
    void forget();

private:
    struct Entry {
        model::Callback callback;
        std::int64_t commit = 0;
        bool taken = false;
    };
    struct Commit {
        std::int64_t row = 0;  // Its number in the table: its first event.
        std::vector<std::int64_t> events;
        std::size_t left = 0;  // Of these, have not been taken out.
    };

    void put(model::Callback callback);
    [[nodiscard]] const model::Callback* take(std::int64_t event);

    Connection& connection_;
    Statement insert_;
    Statement remove_;
    std::unordered_map<std::int64_t, Entry> callbacks_;  // By event.
    std::map<std::int64_t, Commit> commits_;             // The oldest first.
    std::int64_t commit_ = 1;                            // Of this transaction.
    bool keeps_late_ = false;
    // What this transaction did:
    std::vector<std::int64_t> added_;
    std::vector<std::int64_t> taken_;
    std::vector<std::int64_t> emptied_;  // Commits.
    std::string row_;
};

}  // namespace merpati::store::sqlite
