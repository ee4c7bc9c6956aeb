// Writes a batch as one transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
    Transaction(Connection& connection, MessageWriter& writer, StoredTables& tables,
                Condition& condition);

    /// Skips elements that were refused before. Those that were left out say so. Returns the
    /// failure because of which nothing is written; of damage: it concerns no element, or too many,
    /// and the store must not be used any more.
    [[nodiscard]] std::optional<Failure> write(WriteBatch& batch);

private:
    enum class Kind : std::uint8_t {
        none,
        finish,
        reschedule,
        hand_over,
        intent,
        callback,
        change,
        accept,
        rows,  // Of several elements.
        // Counts, which no single element writes.
        recipient,
        credit,
        usage,
        lane,
    };

    template <class Body>
    [[nodiscard]] std::optional<Failure> attempt(Body body);
    void run(WriteBatch& batch);
    void undo() noexcept;
    [[nodiscard]] bool leave_out(WriteBatch& batch);
    template <class Element, class Write>
    void write(Kind kind, std::vector<Element>& elements, Write write);
    template <class Flush>
    void flush(Kind kind, Flush flush);
    void flush_counts(WriteBatch& batch);
    void leave_out_lane(WriteBatch& batch, model::PhoneNumber lane);
    void leave_out(CallbackUpdate& update);
    [[nodiscard]] bool can_be_read(const model::EventId& callback);
    void leave_out_accepts(WriteBatch& batch);

    Connection& connection_;
    MessageWriter& writer_;
    StoredTables& tables_;
    Condition& condition_;
    Statement find_callback_;
    Kind kind_ = Kind::none;    // What is being written.
    std::size_t index_ = 0;     // Its index among the elements of that kind.
    std::size_t left_out_ = 0;  // Calls of `leave_out` for this batch.
};

}  // namespace merpati::store::sql
