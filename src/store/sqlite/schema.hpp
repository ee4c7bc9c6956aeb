// The schema, and its migration from older versions.
#pragma once

#include "base/error.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// The version of the schema that this program writes (PRAGMA user_version). From version 21 on,
/// PRAGMA application_id marks the file as a store of this program.
[[nodiscard]] int schema_version() noexcept;

/// Creates the schema in an empty database, or migrates an older one, each step in a transaction of
/// its own. `allowed` false: an older schema is an error. Errors: conflict (newer than this
/// program, older and not allowed, or another program's database). Throws Failure for errors of
/// SQLite.
[[nodiscard]] Result<void> migrate(Connection& connection, bool allowed);

}  // namespace merpati::store::sqlite
