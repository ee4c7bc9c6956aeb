// SQLite as an engine of the conformance suite.
#pragma once

#include "store/conformance/store_fixture.hpp"

namespace merpati::store::sqlite {

[[nodiscard]] Engine engine();

}  // namespace merpati::store::sqlite
