// The text of a platform's template.
#pragma once

#include <span>
#include <string>

#include "connector/connector.hpp"

namespace merpati::campaign {

/// The template's text as its recipient reads it: with the values, in the order of its variables,
/// in their places. The place of a variable that has no value stays as it is.
[[nodiscard]] std::string filled_text(const connector::MessageTemplate& used,
                                      std::span<const std::string> values);

}  // namespace merpati::campaign
