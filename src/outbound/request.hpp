// What is asked of a server, and within which limits.
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
    std::string headers;  // Lines "Name: value\r\n"; Host, Content-Length and User-Agent are ours.
    std::string body;
    /// Out of whose share connections, waiting places and look-ups are taken: the row of the
    /// account on whose behalf it is made. 0: the gateway's own.
    std::int64_t account = 0;
    std::chrono::milliseconds timeout{10'000};  // Everything: resolve, connect, TLS, answer.
    /// Until the first byte of the answer, counted as `timeout` is; 0: no limit of its own.
    std::chrono::milliseconds first_byte_timeout{0};
    /// Bytes a second: an answer that brings less, over five seconds, ends with `timeout`. 0: none.
    std::uint32_t rate_min = 0;
    std::size_t header_bytes_max = std::size_t{16} << 10;
    std::size_t body_bytes_max = std::size_t{16} << 10;  // See `truncate`.
    bool truncate = true;  // At the cap: true ends the body there and drops the connection,
                           // false fails with ErrorCode::refused.
    /// The status is all that counts: an answer whose head has come is waited for one second more,
    /// and is no failure whatever becomes of its body.
    bool head_suffices = false;
    /// Called with status and headers of the final answer before its body comes. Returning false
    /// ends the transfer there, successfully.
    std::function<bool(const Response&)> on_head;
    /// Called with each piece of the body as it arrives, instead of collecting it in Response::body
    /// (for files). Returning false ends the transfer.
    std::function<bool(std::span<const std::byte>)> on_body;
};

/// The request as it goes over the wire: request line, our header lines, the caller's, the body.
[[nodiscard]] std::string request_text(const Request& request);

}  // namespace merpati::outbound
