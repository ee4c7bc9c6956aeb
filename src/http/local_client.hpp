// A blocking HTTP client for the management socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/request.hpp"

namespace merpati::http {

struct ClientReply {
    std::uint16_t status = 0;
    std::string body;
};

/// Sends one request to the server that listens on the Unix socket `socket_path` and waits for its
/// answer. `target` is path and query. A body is sent as application/json.
///
/// Limits: answers up to 64 MiB; `timeout` is for the whole exchange.
///
/// Errors: unreachable (nobody listens: no file, or a stale one), refused (the file's permissions),
/// timeout, protocol (no HTTP answer, cut off, or too large), invalid_argument (the path, or a
/// target with spaces or line ends), io_failed.
[[nodiscard]] Result<ClientReply> request(const std::string& socket_path, Method method,
                                          std::string_view target, std::string_view body,
                                          std::chrono::milliseconds timeout);

}  // namespace merpati::http
