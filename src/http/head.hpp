// A request's line and header fields, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace merpati::http {

/// Operation: `parse` takes the whole head as HeadScanner found it, from the request line to the
/// final empty line. Beast's parser splits it. `parse` also refuses heads that Beast accepts and
/// that other software may read differently, because such requests can be smuggled past a proxy:
/// Content-Length twice, as a list, with a sign, or beside Transfer-Encoding; Transfer-Encoding
/// twice, other than `chunked`, or in HTTP/1.0; several Host fields, or none in HTTP/1.1; a target
/// that is not a path or query, an absolute http or https URL, or `*` for OPTIONS (RFC 9112 section
/// 3.2).
///
/// Views point into the bytes given to `parse`, or to constants (a missing path is "/").
struct Head {
    Method method = Method::other;
    std::string_view path;
    std::string_view query;
    std::string_view authorization;
    std::string_view request_id;  // The caller's X-Request-Id if it is valid, else empty.
    std::vector<Request::Header> headers;

    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expects_continue = false;
    bool keep_alive = false;
    bool version_1_0 = false;

    /// 0, or the status to refuse the request with: 400, or 505 (neither HTTP/1.0 nor HTTP/1.1).
    [[nodiscard]] std::uint16_t parse(std::string_view bytes);

    /// What handlers see of the head. Views, as here; `id` is the caller's.
    [[nodiscard]] Request request() const;

    /// Points the views to the same bytes at `to`. `from`: the bytes given to `parse`, which must
    /// still be readable.
    void move_views(std::string_view from, const char* to) noexcept;
};

}  // namespace merpati::http
