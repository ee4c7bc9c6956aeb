// PostgreSQL as an engine of the conformance suite.
#pragma once

#include "store/conformance/store_fixture.hpp"
#include "store/postgres/cutting_proxy.hpp"

namespace merpati::store::postgres {

/// Each store has a database of its own in TestServer, and one store is used at a time. A full disk
/// is a trigger that reports what the server reports then. There is no `damage`: pages are the
/// server's.
[[nodiscard]] Engine engine();

/// The same, behind a proxy. While a batch is written, the connection ends before and after a
/// statement that was not met before, and at each fourth COMMIT; the batch is written again until
/// it is stored, as the committer does.
[[nodiscard]] Engine engine_that_is_cut();

/// The same, whose proxy cuts nothing by itself.
[[nodiscard]] Engine engine_behind_proxy();
/// The proxy of the running test.
[[nodiscard]] CuttingProxy& proxy();

}  // namespace merpati::store::postgres
