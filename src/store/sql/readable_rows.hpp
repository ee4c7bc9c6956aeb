// Reads the rows of a small table that can be read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/condition.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// A table whose integer key is the first of `columns`.
struct KeyedTable {
    const char* columns;
    const char* name;
    const char* key;
    void (*note)(Condition&, std::int64_t key);  // Records that this row cannot be read.
    bool needed = false;  // Whether a start fails if rows are there and none can be read.
};

/// KeyedTable::note for rows that are named by a noun and their key.
template <const auto& noun>
void note_row(Condition& condition, std::int64_t key) {
    condition.note_damage(std::string{noun} + ' ' + std::to_string(key));
}

/// Reads all rows that can be read, by key, so that damage to a few does not stop a start.
///
/// Operation: a row with a value that nothing writes is left out alone. A page that cannot be read
/// ends the first pass; a second one reads from the other end. If several pages are damaged, the
/// rows between them are left out too. The condition records what was left out.
///
/// `read`: makes a Result<Record> of a Cursor; a row for which it fails is left out.
///
/// Errors: only for a table that is needed: damaged, or that of `read`.
template <class Record, class Read>
class ReadableRows {
public:
    ReadableRows(Connection& connection, Condition& condition, const KeyedTable& table, Read read)
        : connection_(connection), condition_(condition), table_(table), read_(std::move(read)) {}

    [[nodiscard]] Result<std::vector<Record>> all() {
        auto low = pass("", std::numeric_limits<std::int64_t>::min());
        if (page_damaged_) {
            const auto last = last_;
            auto high = pass(" DESC", last);
            std::ranges::reverse(high);
            std::ranges::move(high, std::back_inserter(low));
        }
        return table_.needed && low.empty() && failed_
                   ? Result<std::vector<Record>>{std::unexpected(*failed_)}
                   : std::move(low);
    }

private:
    /// Reads the rows with keys above `after`, until a page cannot be read.
    std::vector<Record> pass(const char* order, std::int64_t after) {
        std::vector<Record> found;
        try {
            Statement list{connection_, std::string{"SELECT "} + table_.columns + " FROM " +
                                            table_.name + " WHERE " + table_.key +
                                            " > ? ORDER BY " + table_.key + order};
            auto row = list.query(after);
            while (row.next()) {
                last_ = std::max(last_, row.integer(0));
                take(row, found);
            }
        } catch (const Failure& failure) {
            fail_by(failure);
            condition_.note_damage(std::string{"a page of table "} + table_.name);
            page_damaged_ = true;
        }
        return found;
    }

    void take(const Cursor& row, std::vector<Record>& found) {
        try {
            Result<Record> record = read_(row);
            if (record) {
                found.push_back(std::move(*record));
            } else {
                failed_ = record.error();
                table_.note(condition_, row.integer(0));
            }
        } catch (const Failure& failure) {
            fail_by(failure);
            table_.note(condition_, row.integer(0));
        }
    }

    /// As throw_unless_damage.
    void fail_by(const Failure& failure) {
        throw_unless_damage(failure);
        failed_ = Error{.code = ErrorCode::damaged,
                        .detail = std::string{"table "} + table_.name + " cannot be read: " +
                                  failure.what() + "; restore a backup (docs/backup.md)",
                        .origin = std::source_location::current()};
    }

    Connection& connection_;
    Condition& condition_;
    const KeyedTable table_;
    Read read_;
    std::int64_t last_ = std::numeric_limits<std::int64_t>::min();  // The highest key of pass one.
    bool page_damaged_ = false;
    std::optional<Error> failed_;
};

template <class Record, class Read>
[[nodiscard]] Result<std::vector<Record>> readable_rows(Connection& connection,
                                                        Condition& condition,
                                                        const KeyedTable& table, Read read) {
    return guarded([&]() -> Result<std::vector<Record>> {
        return ReadableRows<Record, Read>{connection, condition, table, std::move(read)}.all();
    });
}

}  // namespace merpati::store::sql
