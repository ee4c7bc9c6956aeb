// What stores remember of a copy: rows of `meta`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/copied_tables.hpp"

namespace merpati::store::sql {

/// The value of one column of a key.
struct KeyValue {
    ValueKind kind = ValueKind::integer;
    std::int64_t integer = 0;
    std::string bytes{};  // Of a text too.

    bool operator==(const KeyValue&) const = default;
};

/// How far a copy into a store is.
struct CopyPosition {
    std::string id;  // Of the copy; its source has the same.
    bool is_complete = false;
    std::uint64_t rows = 0;         // That were copied so far.
    std::string table{};            // Which is copied now; "": all are.
    std::vector<KeyValue> after{};  // Rows of it up to this key were copied; empty: none.

    bool operator==(const CopyPosition&) const = default;

    /// As it is stored.
    [[nodiscard]] std::string text() const;
    /// Empty: not a text of this program.
    [[nodiscard]] static std::optional<CopyPosition> parse(std::string_view text);
};

/// The id of the copy for which the store was the source. It is there only if nobody has opened the
/// store since. Throws Failure.
[[nodiscard]] std::optional<std::string> copy_begun_from(Connection& connection);

/// Notes it, in an open transaction. Throws Failure.
void note_copy_from(Connection& connection, const std::string& id);

/// How far the copy into this store is; empty: there is none, or it was complete when somebody
/// opened the store. Errors: conflict (it was written by another version). Throws Failure.
[[nodiscard]] Result<std::optional<CopyPosition>> copy_into(Connection& connection);

/// Notes the position of a copy that begins, in an open transaction. False: another one has begun
/// meanwhile. Throws Failure.
[[nodiscard]] bool begin_copy_into(Connection& connection, const CopyPosition& position);

/// Replaces the position, in the open transaction that writes the rows up to it. False: it is not
/// `from` any more. Throws Failure.
[[nodiscard]] bool move_copy_into(Connection& connection, const CopyPosition& from,
                                  const CopyPosition& to);

/// For whoever opens a store to use it: a copy from it or into it cannot be continued afterwards.
/// Errors: conflict (a copy into it is not complete), busy (a copy of it is being made). Throws
/// Failure, but not for damage.
[[nodiscard]] Result<void> end_copies(Connection& connection);

}  // namespace merpati::store::sql
