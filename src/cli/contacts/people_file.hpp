// The file with a list of people: of recipients, contacts or suppressions.
#pragma once

#include <vector>

#include "cli/request_command.hpp"

namespace merpati::cli {

/// The argument FILE, and the options that tell how it is read.
[[nodiscard]] std::vector<Parameter> people_file(bool is_optional = false);

}  // namespace merpati::cli
