// One line of the connector protocol (docs/connector-protocol.md, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::process {

// The limits that the protocol names.
constexpr std::size_t line_bytes_max = 1'048'576;  // With the line's end.
constexpr std::size_t requests_max = 1'024;        // Of a worker, in flight at once.
constexpr std::size_t requests_per_device_max = 64;
constexpr std::size_t value_bytes_max = DeviceSecrets::value_bytes_max;

constexpr Millis usual_retry_after{1'000};  // After `busy`.

struct Frame {
    enum class Kind : std::uint8_t { request, answer, notice };
    Kind kind = Kind::notice;
    std::uint64_t id = 0;        // 0 in a notice.
    std::string op;              // Empty in an answer.
    bool ok = false;             // In an answer only.
    boost::json::object fields;  // The whole line; in an answer its `result` or `error`.
    std::size_t bytes = 0;       // The line's length.
};

/// Errors: protocol (it is none of the three kinds).
[[nodiscard]] Result<Frame> parse_frame(std::string_view line);

// Lines with their end. The `fields` of a request stand beside `op`.
[[nodiscard]] std::string request_line(std::uint64_t id, std::string_view op,
                                       boost::json::object fields);
[[nodiscard]] std::string answer_line(std::uint64_t id, const boost::json::object& result);
/// `retry_after` is said with the kind `busy`.
[[nodiscard]] std::string error_line(std::uint64_t id, std::string_view kind,
                                     std::string_view details = {},
                                     Millis retry_after = usual_retry_after);

}  // namespace merpati::connector::process
