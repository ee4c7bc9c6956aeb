// A request's line and header fields, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace merpati::http {

/// Operation: `parse` takes the whole head, from the request line to the empty line included, as
/// HeadScanner found it. Beast's parser takes it apart; what Beast lets pass and we do not is
/// refused here, because two readings of one request are how requests are smuggled:
/// Content-Length twice, as a list, with a sign, or beside Transfer-Encoding; Transfer-Encoding
/// twice, other than `chunked`, or in HTTP/1.0; no Host or several; a target that is neither a path
/// nor an absolute URL (RFC 9112 section 3.2).
///
/// All views point into the bytes given to `parse`.
struct Head {
    Method method = Method::other;
    std::string_view path;
    std::string_view query;
    std::string_view authorization;
    std::string_view request_id;  // The caller's X-Request-Id where it is valid, else empty.
    std::vector<Request::Header> headers;

    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expects_continue = false;
    bool keep_alive = false;
    bool version_1_0 = false;

    /// 0, or the status to refuse with: 400, 505 (a version of HTTP that is not 1.0 or 1.1).
    [[nodiscard]] std::uint16_t parse(std::string_view bytes);

    /// Lets the views point to the same bytes at `to`. `from` is where they are, still readable.
    void move_views(std::string_view from, const char* to) noexcept;
};

}  // namespace merpati::http
