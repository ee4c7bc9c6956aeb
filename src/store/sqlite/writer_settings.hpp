// The settings of a connection that writes.
#pragma once

#include "base/error.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// Sets up the writing connection. Durability settings are read back, because a build or file
/// system that does not provide them must not be trusted with messages. Errors: store_failed.
/// Throws Failure.
[[nodiscard]] Result<void> prepare_writer(Connection& connection);

}  // namespace merpati::store::sqlite
