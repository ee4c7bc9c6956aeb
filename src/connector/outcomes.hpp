// Outcomes that every connector reports.
#pragma once

#include <string_view>

#include "model/outcome.hpp"

namespace merpati::connector {

/// The platform may have the message: nobody answered.
[[nodiscard]] model::Outcome unknown_outcome(std::string_view why);

/// The platform was not asked: the device cannot send now.
[[nodiscard]] model::Outcome device_down(std::string_view why);

/// The platform was not asked, and never will be.
[[nodiscard]] model::Outcome refused_here(std::string_view why,
                                          model::StatusCode code = model::StatusCode::failed);

}  // namespace merpati::connector
