// Writes a batch as one transaction.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "store/condition.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/failure.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/stored_tables.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sql {

/// Operation: writes all elements and commits. If an element meets damage, SQLite refuses all
/// further writes of that transaction, even after a rollback to a savepoint. So the transaction is
/// rolled back, the element and others that would meet the same damage are left out, and the rest
/// is written anew. Damage where counts are written (ledgers, usage, what lanes sent) leaves out no
/// element: the next run leaves out those counts (DamagedRows). The same applies to recipients.
///
/// Threads: one, the store's.
class Transaction {
public:
    /// Called inside the transaction with the rows that it has written. May be empty.
    using BeforeCommit = std::function<void(std::span<const RowChange>)>;

    Transaction(Connection& connection, MessageWriter& writer, StoredTables& tables,
                Condition& condition, BeforeCommit before_commit = {});

    /// Skips elements that were refused before. Those that were left out say so. Returns the
    /// failure because of which nothing is written; of damage: it concerns no element, or too many,
    /// and the store must not be used any more.
    [[nodiscard]] std::optional<Failure> write(WriteBatch& batch);

    /// Drops what is remembered of rows from earlier transactions: another program may have written
    /// them since. Call between two transactions.
    void forget_rows() noexcept;

private:
    /// What is being written: an element, or what several elements have brought.
    struct Part {
        /// Leaves out the element at `index_` of its kind, and others that would meet the same
        /// damage. Null: it is no element.
        void (Transaction::*leave_out)(WriteBatch&) = nullptr;
        /// What no single element writes, for the operator. Null: rows of elements, which the next
        /// run writes one by one.
        const char* counts = nullptr;
    };

    template <class Body>
    [[nodiscard]] std::optional<Failure> attempt(Body body);
    void run(WriteBatch& batch);
    void undo() noexcept;
    [[nodiscard]] bool leave_out(WriteBatch& batch);
    template <class Element, class Write>
    void write(std::vector<Element>& elements, Write write);
    template <class Flush>
    void flush(const char* counts, Flush flush);
    void flush_counts(WriteBatch& batch);
    template <class Element>
    void leave_out_at_index(WriteBatch& batch);
    void leave_out_lane(WriteBatch& batch, model::PhoneNumber lane);
    void leave_out(WriteBatch& batch, CallbackUpdate& update);
    void leave_out(WriteBatch& batch, Change& change);
    void leave_out(WriteBatch& batch, Accept& accept);
    void leave_out(CallbackUpdate& update);
    [[nodiscard]] bool can_be_read(const model::EventId& callback);

    Connection& connection_;
    MessageWriter& writer_;
    StoredTables& tables_;
    Condition& condition_;
    const BeforeCommit before_commit_;
    Statement find_callback_;
    std::optional<Part> part_;  // What is being written.
    std::size_t index_ = 0;     // Of an element, among those of its kind.
    std::size_t left_out_ = 0;  // Calls of `leave_out` for this batch.
};

}  // namespace merpati::store::sql
