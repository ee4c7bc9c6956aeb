// SQLite as an engine of the conformance suite.
#pragma once

#include "store/conformance/store_fixture.hpp"

namespace merpati::store::sqlite {

[[nodiscard]] Engine engine();

/// Its damaged parts are intact, but the disk fails to read them.
[[nodiscard]] Engine engine_that_fails_to_read();

}  // namespace merpati::store::sqlite
