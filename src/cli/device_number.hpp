// The argument that names a device, and its path.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/gateway.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {

inline const Parameter device_number{
    .name = "NUMBER", .help = "The device", .check = phone_number()};

/// Of the operations on it.
[[nodiscard]] inline std::string device_path(const std::string& number) {
    return "/devices/" + percent_encode(number);
}

}  // namespace merpati::cli
