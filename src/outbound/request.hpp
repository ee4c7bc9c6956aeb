// A request to a server, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "outbound/response.hpp"
#include "outbound/url.hpp"

namespace merpati::outbound {

struct Request {
    std::string method;  // "POST", "GET", "HEAD"
    Url url;
    std::string headers;  // Lines "Name: value\r\n", beside those of request_text.
    std::string body;
    std::chrono::milliseconds timeout{10'000};  // Of all: resolve, connect, TLS, response.
    /// From the start of the request to the first byte of the response; 0: no limit.
    std::chrono::milliseconds first_byte_timeout{0};
    /// Bytes per second: a response that is slower, over five seconds, fails with `timeout`.
    /// 0: no limit.
    std::uint32_t rate_min = 0;
    std::size_t header_bytes_max = std::size_t{16} << 10;
    std::size_t body_bytes_max = std::size_t{16} << 10;  // See `truncate`.
    bool truncate = true;  // A longer body: true cuts it there and closes the connection,
                           // false fails with ErrorCode::refused.
    /// Only the status counts. After the head the body is awaited for at most one second, and
    /// nothing that happens to it fails the request.
    bool head_suffices = false;
    /// Called with status and headers of the final response before its body. Returning false ends
    /// the request there, successfully.
    std::function<bool(const Response&)> on_head;
    /// Called with each piece of the body as it arrives, which is then not collected in
    /// Response::body. Returning false ends the request, successfully.
    std::function<bool(std::span<const std::byte>)> on_body;
};

/// The request as it is sent: the request line, our headers (Host, User-Agent, Accept, and
/// Content-Length), those of the request, the body.
[[nodiscard]] std::string request_text(const Request& request);

}  // namespace merpati::outbound
