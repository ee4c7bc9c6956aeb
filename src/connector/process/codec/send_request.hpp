// Writes the request that passes a message to a worker (docs/connector-protocol.md, section 5).
#pragma once

#include <boost/json/object.hpp>

#include "connector/connector.hpp"

namespace merpati::connector::process {

[[nodiscard]] boost::json::object send_fields(const SendRequest& request);

}  // namespace merpati::connector::process
