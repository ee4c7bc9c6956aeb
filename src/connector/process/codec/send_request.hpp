// Writes the request that passes a message to a worker (docs/connector-protocol.md, section 5).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "connector/connector.hpp"

namespace merpati::connector::process {

[[nodiscard]] boost::json::object send_fields(const SendRequest& request);

/// The last segment of the URL's path as a printable file name. Empty: there is none, or it is
/// longer than 255 bytes or not UTF-8.
[[nodiscard]] std::string file_name_of(std::string_view url);

}  // namespace merpati::connector::process
