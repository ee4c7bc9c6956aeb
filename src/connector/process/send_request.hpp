// A message as a worker is given it (docs/connector-protocol.md, section 5).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "connector/connector.hpp"

namespace merpati::connector::process {

[[nodiscard]] boost::json::object send_fields(const SendRequest& request);

/// The file name that an address ends in, as it may be shown; empty: it ends in none.
[[nodiscard]] std::string file_name_of(std::string_view url);

}  // namespace merpati::connector::process
