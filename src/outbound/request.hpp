// A request to a server, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "outbound/response.hpp"
#include "outbound/url.hpp"

namespace merpati::outbound {

/// A file as part of a request's body, such as one of a multipart form. It is read in pieces while
/// the request is sent, and must not change meanwhile.
struct BodyFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::string after;  // The rest of the body.
};

struct Request {
    std::string method;  // "POST", "GET", "HEAD"
    Url url;
    std::string headers;  // Lines "Name: value\r\n", in addition to those of request_text.
    std::string body;
    std::optional<BodyFile> file;               // Sent after `body`.
    std::chrono::milliseconds timeout{10'000};  // Of the whole: resolve, connect, TLS, response.
    /// From the start of the request to the first byte of the response; 0: no limit.
    std::chrono::milliseconds first_byte_timeout{0};
    /// Bytes per second. A response that is slower, measured over five seconds, fails with
    /// `timeout`. 0: no limit.
    std::uint32_t rate_min = 0;
    std::size_t header_bytes_max = std::size_t{16} << 10;
    std::size_t body_bytes_max = std::size_t{16} << 10;  // See `truncate`.
    /// What happens to a longer body: true cuts it and closes the connection; false fails with
    /// ErrorCode::refused. With `on_body` a longer body is always cut.
    bool truncate = true;
    /// The caller needs only the head. After it the body is awaited for at most `body_wait`, and no
    /// failure fails the request any more.
    bool head_suffices = false;
    std::chrono::milliseconds body_wait{1'000};
    /// Called with status and headers of the final response before its body. Returning false ends
    /// the request there, successfully, and closes the connection if there is a body.
    std::function<bool(const Response&)> on_head;
    /// Called with each piece of the body as it arrives; Response::body then stays empty. Returning
    /// false ends the request, successfully, and closes the connection.
    std::function<bool(std::span<const std::byte>)> on_body;
    /// The request asks for another protocol: the response 101 is its final one.
    bool may_upgrade = false;
    /// False: the server must not get the request twice, so it is not sent again on a new
    /// connection after a byte of it may have left.
    bool repeatable = true;
    /// Called before the request is written: from then on the server may have it.
    std::function<void()> on_write;
};

/// The bytes to send: the request line, our headers (Host, User-Agent, Accept), the request's
/// headers, Content-Length if there is a body or the method is POST, the body without its file.
[[nodiscard]] std::string request_text(const Request& request);

}  // namespace merpati::outbound
