// SQLite as the conformance suite sees it.
#pragma once

#include "store/conformance/store_fixture.hpp"

namespace merpati::store::sqlite {

[[nodiscard]] Engine engine();

}  // namespace merpati::store::sqlite
