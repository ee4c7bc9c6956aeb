// The tables, and how an older file becomes a current one.
#pragma once

#include "base/error.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// The schema this program writes (PRAGMA user_version).
[[nodiscard]] int schema_version() noexcept;

/// Brings the schema up to date, a step a transaction. `allowed` false: an older schema is an
/// error. Errors: conflict (newer than this program, older and not allowed, or not a store at all);
/// throws Failure otherwise.
[[nodiscard]] Result<void> migrate(Connection& connection, bool allowed);

}  // namespace merpati::store::sqlite
