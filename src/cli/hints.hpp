// Which command helps where a call was refused.
#pragma once

#include <string>

namespace merpati::cli {

/// The sentence of a refusal, which is worded for every door of the catalogue, with the command
/// that helps where there is one.
[[nodiscard]] std::string with_hint(std::string detail);

}  // namespace merpati::cli
