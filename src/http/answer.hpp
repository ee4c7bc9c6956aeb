// The bytes of an answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/reply.hpp"

namespace merpati::http {

/// "OK" for 200. Unknown codes have the phrase of their class.
[[nodiscard]] std::string_view reason_phrase(std::uint16_t status) noexcept;

/// What the request and the connection add to a reply.
struct Envelope {
    std::string_view request_id;
    bool version_1_0 = false;  // Keeping such a connection alive must be said.
    bool keep_alive = true;
    bool without_body = false;  // For HEAD; Content-Length is still the body's size.
};

/// Appends the whole answer, ready to be sent; of one with a source the head alone. 1xx, 204 and
/// 304 carry no body. What is answered is to be sent behind it: the reply's static body, or
/// nothing.
[[nodiscard]] std::string_view append_answer(std::string& out, const Reply& reply,
                                             const Envelope& envelope);

/// Appends one chunk of a body (RFC 9112 section 7.1); one without bytes ends it.
void append_chunk(std::string& out, std::string_view bytes);

}  // namespace merpati::http
