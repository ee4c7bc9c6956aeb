// Adds to a refusal the command that helps.
#pragma once

#include <string>

namespace merpati::cli {

/// The catalogue words its refusals for all interfaces. Appends the command that helps, if there is
/// one.
[[nodiscard]] std::string with_hint(std::string detail);

}  // namespace merpati::cli
