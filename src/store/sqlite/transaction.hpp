// A batch as one transaction of SQLite.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/condition.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/message_writer.hpp"
#include "store/sqlite/sqlite_tables.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sqlite {

/// Operation: `run` writes all elements and commits. Where one meets damage nothing is written any
/// more in that transaction, not even after a savepoint: `undo`, `leave_out` the element and what
/// will fare like it, and `run` the others.
///
/// Threads: one, the store's.
class Transaction {
public:
    Transaction(Connection& connection, MessageWriter& writer, SqliteTables& tables,
                Condition& condition);

    /// Passes by what was refused or left out before. Throws Failure; call `undo` then.
    void run(WriteBatch& batch);

    /// Rolls back what is open, and forgets what was only written there.
    void undo() noexcept;

    /// After damage. Throws Failure when reading fails for another reason. False where it concerns
    /// no element, or too many by now: then the store is of no more use.
    [[nodiscard]] bool leave_out(WriteBatch& batch);

private:
    enum class Kind : std::uint8_t {
        none,
        finish,
        reschedule,
        hand_over,
        intent,
        callback,
        change,
        accept
    };

    template <class Element, class Write>
    void write(Kind kind, std::vector<Element>& elements, Write write);
    void leave_out_lane(WriteBatch& batch, model::PhoneNumber lane);
    void leave_out(CallbackUpdate& update);
    [[nodiscard]] bool can_be_read(const model::EventId& callback);
    void leave_out_accepts(WriteBatch& batch);

    Connection& connection_;
    MessageWriter& writer_;
    SqliteTables& tables_;
    Condition& condition_;
    Statement begin_;
    Statement commit_;
    Statement find_callback_;
    Kind kind_ = Kind::none;  // What is being written,
    std::size_t place_ = 0;   // and which one of them.
    std::size_t left_out_ = 0;
};

}  // namespace merpati::store::sqlite
