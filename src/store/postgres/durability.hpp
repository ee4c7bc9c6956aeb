// Whether a server keeps what it acknowledges.
#pragma once

#include "base/error.hpp"
#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

/// A server that acknowledges what it may lose must not be trusted with messages. `must_sync`
/// false: it may run without syncing, for tests. Errors: store_failed. Throws Failure.
[[nodiscard]] Result<void> check_durability(Connection& connection, bool must_sync);

}  // namespace merpati::store::postgres
