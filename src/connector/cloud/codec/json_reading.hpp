// Reads JSON of the platform, in which everything may be missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace merpati::connector::cloud {

/// Deeper JSON is not parsed.
inline constexpr std::size_t json_depth_max = 24;

/// Empty: the text is no JSON object.
[[nodiscard]] std::optional<boost::json::object> parse_object(std::string_view text);

/// Null if the field is missing or of another type.
[[nodiscard]] const boost::json::object* find_object(const boost::json::object& in,
                                                     std::string_view name);
[[nodiscard]] const boost::json::array* find_array(const boost::json::object& in,
                                                   std::string_view name);

/// The text of the field, cut to `bytes_max` bytes; empty if it is missing or no text.
[[nodiscard]] std::string find_text(const boost::json::object& in, std::string_view name,
                                    std::size_t bytes_max);
/// A whole number, which the platform also writes as a text.
[[nodiscard]] std::optional<std::int64_t> find_number(const boost::json::object& in,
                                                      std::string_view name);

}  // namespace merpati::connector::cloud
