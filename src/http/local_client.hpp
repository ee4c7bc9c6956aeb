// A blocking HTTP client for the management socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/request.hpp"

namespace merpati::http {

struct ClientReply {
    std::uint16_t status = 0;
    std::string body;
};

/// Takes a piece of a body. A failure ends the exchange, and is its failure.
using BodyTaker = std::function<Result<void>(std::string_view piece)>;

/// Sends one request to the server that listens on the Unix socket `socket_path` and waits for its
/// answer. `target` is path and query. A body is sent as application/json.
///
/// `take` gets the body of a 200 as it comes; without it, and of other answers, the reply has the
/// body.
///
/// Limits: a reply's body up to 64 MiB; `timeout` is for the whole exchange, with `take` for each
/// wait.
///
/// Errors: unreachable (nobody listens: no file, or a stale one), refused (the file's permissions),
/// timeout, protocol (no HTTP answer, cut off, or too large), invalid_argument (the path, or a
/// target with spaces or line ends), io_failed.
[[nodiscard]] Result<ClientReply> request(const std::string& socket_path, Method method,
                                          std::string_view target, std::string_view body,
                                          std::chrono::milliseconds timeout,
                                          const BodyTaker& take = {});

}  // namespace merpati::http
