// An answer's status line and header fields, checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "outbound/response.hpp"

namespace merpati::outbound {

/// How the end of a body is known (RFC 9112 section 6.3).
enum class Framing : std::uint8_t {
    none,       // It has no body: HEAD, 1xx, 204, 304, Content-Length: 0.
    length,     // Content-Length
    chunked,    // Transfer-Encoding: chunked
    until_end,  // The end of the connection.
    unknown,    // A transfer coding other than `chunked`: the body cannot be read.
};

struct ResponseHead {
    Response response;  // Without its body.
    Framing framing = Framing::none;
    std::uint64_t length = 0;  // Of Framing::length.
    bool keep_alive = false;   // Both sides may use the connection again.
};

/// Takes a whole head apart, from the status line to the empty line included. `to_head`: it answers
/// a HEAD request, which has no body whatever its fields say.
///
/// Beast's parser reads it. It is given the head alone, in one piece and once, because what it does
/// with bodies and with pieces asserts what a server can break.
///
/// Limits: 128 fields. Errors: protocol, also for Content-Length beside Transfer-Encoding and for
/// two lengths that differ: two readings of one answer.
[[nodiscard]] Result<ResponseHead> parse_response_head(std::string_view bytes, bool to_head);

}  // namespace merpati::outbound
