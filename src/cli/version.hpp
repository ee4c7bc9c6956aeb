// The version of the program.
#pragma once

#include <string_view>

namespace merpati::cli {

/// "0.1.0", from the top CMakeLists.txt.
inline constexpr std::string_view version = MERPATI_VERSION;

}  // namespace merpati::cli
