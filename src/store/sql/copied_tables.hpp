// The tables of a store and their columns, as all engines have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Who gives the rows of a table their ids.
enum class Ids : std::uint8_t {
    given,         // The program.
    assigned,      // The database.
    never_reused,  // The database, which also remembers the highest one that it has assigned.
};

struct CopiedColumn {
    std::string_view name;
    ValueKind kind;
};

/// A table as it is copied. The tables of nodes are not among them: they belong to a database, not
/// to the installation in it. Neither are columns that a database computes.
struct CopiedTable {
    std::string_view name;
    std::size_t key_columns;  // The first so many of `columns` are the primary key.
    Ids ids;
    std::string_view rows;  // A condition: which rows are copied.
    std::vector<CopiedColumn> columns;

    [[nodiscard]] std::span<const CopiedColumn> key() const {
        return std::span{columns}.first(key_columns);
    }

    /// "id,tail,account"
    [[nodiscard]] std::string column_list() const;

    // SQL for every engine.

    /// Reads the rows in the order of their key. `is_behind`: only those behind a key, whose
    /// columns are the arguments.
    [[nodiscard]] std::string reading(bool is_behind) const;
    [[nodiscard]] std::string counting() const;
    /// Has a row if the table has one.
    [[nodiscard]] std::string looking() const;
};

/// Of this program's schema, whose version is the same in all engines.
[[nodiscard]] const std::vector<CopiedTable>& copied_tables();

/// Which rows of `meta` belong to the installation. Others tell the version of a database's schema,
/// what its nodes have committed, and about copies (copy_mark.hpp).
inline constexpr std::string_view copied_rows_of_meta =
    "name NOT IN ('schema_version', 'oldest_program', 'copy_source', 'copy_target') "
    "AND name NOT LIKE 'commit_of_node_%'";

}  // namespace merpati::store::sql
