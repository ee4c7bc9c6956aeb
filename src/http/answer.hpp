// Serialises an answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/reply.hpp"

namespace merpati::http {

/// "OK" for 200. An unknown code has the phrase of its class.
[[nodiscard]] std::string_view reason_phrase(std::uint16_t status) noexcept;

/// The parts of an answer that the request and the connection decide.
struct Envelope {
    std::string_view request_id;
    bool version_1_0 = false;  // HTTP/1.0: keep-alive needs a header, and chunks are not allowed.
    bool keep_alive = true;
    bool without_body = false;  // For HEAD; Content-Length is still the body's size.
};

/// Appends the whole answer; only its head if it has a source or a static body. Returns the bytes
/// to send after `out`: the static body, or nothing. 1xx, 204 and 304 carry no body. If the reply's
/// content type is empty, it is among the reply's headers, or there is none.
[[nodiscard]] std::string_view append_answer(std::string& out, const Reply& reply,
                                             const Envelope& envelope);

/// Appends one chunk of a body (RFC 9112 section 7.1). An empty chunk ends the body.
void append_chunk(std::string& out, std::string_view bytes);

}  // namespace merpati::http
