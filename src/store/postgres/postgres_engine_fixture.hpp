// PostgreSQL as an engine of the conformance suite.
#pragma once

#include "store/conformance/store_fixture.hpp"

namespace merpati::store::postgres {

/// Each store has a database of its own in TestServer, and one store is used at a time. A full disk
/// is a trigger that reports what the server reports then. There is no `damage`: pages are the
/// server's.
[[nodiscard]] Engine engine();

}  // namespace merpati::store::postgres
