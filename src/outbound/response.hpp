// A response, and the parser of its head.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace merpati::outbound {

struct Response {
    std::uint16_t status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // Names in lower case.
    std::string body;      // At most Request::body_bytes_max; empty with Request::on_body.
    bool is_whole = true;  // False: with Request::head_suffices the rest of the body did not come.

    /// The value of the first header with this lower-case name, or empty.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/// How a body ends (RFC 9112 section 6.3).
enum class Framing : std::uint8_t {
    none,       // No body: HEAD, 1xx, 204, 304, Content-Length: 0.
    length,     // Content-Length
    chunked,    // Transfer-Encoding: chunked
    until_end,  // The end of the connection.
    unknown,    // A transfer coding other than `chunked`: the body cannot be read.
};

struct ResponseHead {
    Response response;  // Without its body.
    Framing framing = Framing::none;
    std::uint64_t length = 0;  // Of Framing::length.
    bool keep_alive = false;   // The head allows to use the connection again.
};

/// Parses a whole head, from the status line to the final empty line. `to_head`: it answers a HEAD
/// request, so it has no body whatever its fields say.
///
/// Beast's parser gets only the head, in one piece: on bodies and partial input it asserts
/// conditions that a server can violate.
///
/// Limits: 128 fields. Errors: protocol, also for Content-Length beside Transfer-Encoding and for
/// two different lengths, because such a response could be read in two ways.
[[nodiscard]] Result<ResponseHead> parse_response_head(std::string_view bytes, bool to_head);

}  // namespace merpati::outbound
