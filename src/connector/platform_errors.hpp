// What callers read of a question that a platform did not answer (api/texts/devices.hpp translates
// it).
#pragma once

#include <string_view>

namespace merpati::connector::platform_errors {

inline constexpr std::string_view gone = "the platform has it no more";
inline constexpr std::string_view too_large = "the file is larger than it may be";
inline constexpr std::string_view not_connected = "the device is not connected";
inline constexpr std::string_view throttled = "the platform asks to wait: try again later";
inline constexpr std::string_view unreachable = "the platform cannot be reached: try again";

}  // namespace merpati::connector::platform_errors
