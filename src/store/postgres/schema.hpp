// The schema in PostgreSQL, and its migration from older versions.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

/// The version of the schema that this program writes, a row of `meta`. Versions of both engines
/// mean the same.
[[nodiscard]] int schema_version() noexcept;

/// The version of the database's schema; 0: it has no tables. Empty: it has, but not ours. Throws
/// Failure.
[[nodiscard]] std::optional<int> stored_schema_version(Connection& connection);

/// Creates the schema where the URL's search_path leads, in one transaction. Several nodes may do
/// so at once: one creates it, and the others wait for it. No version has been released, so there
/// is none to migrate from. Errors: not_found (no store there, and `create_missing` is false),
/// conflict (another version, or tables of another program). Throws Failure.
[[nodiscard]] Result<void> migrate(Connection& connection, bool create_missing);

}  // namespace merpati::store::postgres
