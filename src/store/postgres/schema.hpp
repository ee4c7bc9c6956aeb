// The schema in PostgreSQL, and its migration from older versions.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

/// The version of the schema that this program writes, a row of `meta`. Versions of both engines
/// mean the same.
[[nodiscard]] int schema_version() noexcept;

/// The schema of a database.
struct StoredSchema {
    int version = 0;  // 0: it has no tables.
    /// The lowest version that a program must know to work with it, a row of `meta`. Without that
    /// row it is `version`.
    int oldest_program = 0;

    /// Whether this program works with it: it is its own, or the next one if that permits. So two
    /// versions of the program, one step apart, work side by side during an upgrade.
    [[nodiscard]] bool fits() const noexcept;
};

/// Empty: the database has tables, but not ours. Throws Failure.
[[nodiscard]] std::optional<StoredSchema> stored_schema(Connection& connection);

/// Creates the schema where the URL's search_path leads, in one transaction. Several nodes may do
/// so at once: one creates it, and the others wait for it. No version has been released, so there
/// is none to migrate from. Errors: not_found (no store there, and `create_missing` is false),
/// conflict (a schema that does not fit, or tables of another program). Throws Failure.
[[nodiscard]] Result<void> migrate(Connection& connection, bool create_missing);

}  // namespace merpati::store::postgres
