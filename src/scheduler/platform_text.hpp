// Texts of platforms, in outcomes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/outcome.hpp"

namespace merpati::scheduler {

/// Texts of platforms are cut to this many bytes.
inline constexpr std::size_t platform_text_max = 256;

/// The platform's text, cut between two UTF-8 characters; `otherwise` if it gave none.
[[nodiscard]] std::string of_platform(std::string text, std::string_view otherwise = {});

/// The end of a message that failed for passing reasons until `give_up`; `last` is the last one.
[[nodiscard]] model::Completion gave_up(std::string_view last);

}  // namespace merpati::scheduler
