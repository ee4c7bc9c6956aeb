// One of the two stores of a copy, as an engine implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/copied_tables.hpp"

namespace merpati::store::sql {

enum class CopyRole : std::uint8_t { source, target };

/// Inserts rows of one table.
class RowInserter {
public:
    virtual ~RowInserter() = default;

    /// Inserts a row in the open transaction, perhaps later. The columns of `row` are those of the
    /// table. Returns about how many bytes it has. Throws Failure.
    [[nodiscard]] virtual std::size_t add(const Cursor& row) = 0;

    /// Returns when all rows that were added are inserted. Throws Failure.
    virtual void finish() = 0;
};

/// Operation: an engine opens it for a role; the store is then not used by anybody else, as far as
/// that can be seen. A source was made by a program of this version. A target is created if it is
/// missing.
///
/// Threads: one.
class CopySide {
public:
    virtual ~CopySide() = default;

    [[nodiscard]] virtual Connection& connection() noexcept = 0;

    /// Errors: busy (somebody works with the store).
    [[nodiscard]] virtual Result<void> check_unused() = 0;

    /// Of a source: begins the transaction in which it is read, to the end of the copy. Nobody can
    /// open the store until then. Errors: busy (somebody has opened it since the copy `id` was
    /// noted in it). Throws Failure.
    [[nodiscard]] virtual Result<void> hold(const std::string& id) = 0;

    // Of a target.

    /// Begins a transaction. Throws Failure.
    virtual void begin() = 0;
    /// Makes it durable. Throws Failure.
    virtual void commit() = 0;
    [[nodiscard]] virtual std::unique_ptr<RowInserter> inserter(const CopiedTable& table) = 0;
    /// The next id that the database assigns to a row of the table is higher than `id`, which is
    /// not negative. Throws Failure.
    virtual void set_last_assigned(const CopiedTable& table, std::int64_t id) = 0;
};

}  // namespace merpati::store::sql
