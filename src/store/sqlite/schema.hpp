// The tables, and the migration of older ones.
#pragma once

#include "base/error.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// The version of the schema that this program writes (PRAGMA user_version).
[[nodiscard]] int schema_version() noexcept;

/// Migrates the schema, one step in each transaction. `allowed` false: an older schema is an
/// error. Errors: conflict (newer than this program, older and not allowed, or not a store at all);
/// throws Failure otherwise.
[[nodiscard]] Result<void> migrate(Connection& connection, bool allowed);

}  // namespace merpati::store::sqlite
