// A request as it goes over the wire.
#pragma once

#include <string>

#include "outbound/request.hpp"

namespace merpati::outbound {

/// Request line, our header lines, the caller's, and the body.
[[nodiscard]] std::string request_text(const Request& request);

}  // namespace merpati::outbound
