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

/// Takes a piece of a body. `request` ends with its error, if it returns one.
using BodyTaker = std::function<Result<void>(std::string_view piece)>;

/// Sends one request to the server that listens on the Unix socket `socket_path` and waits for its
/// answer. `target` is path and query. The body's type is application/json.
///
/// `take`, if given, gets the body of a 200 in pieces as it arrives. Other bodies are in the reply.
///
/// Limits: a body in the reply, and any body with a Content-Length, has at most 64 MiB. `timeout`
/// is for the whole exchange; with `take`, for sending and for each read of the answer.
///
/// Errors: unreachable (no server listens: no file, or a stale one), refused (the file's
/// permissions), busy (the server's backlog is full), timeout, protocol (not HTTP, cut off, or too
/// large), invalid_argument (the path, or a target that is not a path in visible ASCII), io_failed,
/// and those of `take`.
[[nodiscard]] Result<ClientReply> request(const std::string& socket_path, Method method,
                                          std::string_view target, std::string_view body,
                                          std::chrono::milliseconds timeout,
                                          const BodyTaker& take = {});

/// Gives the next piece of a body; empty at its end.
using BodyGiver = std::function<Result<std::string>()>;

/// The same with a body of any size, of media type `type`, which `give` gives in pieces. If the
/// server answers earlier, `give` is not called again. An error of `give` breaks the request off.
///
/// `timeout` is for the server to take each piece, and for the answer after the last one.
///
/// Errors: those of `request`, and those of `give`.
[[nodiscard]] Result<ClientReply> upload(const std::string& socket_path, Method method,
                                         std::string_view target, std::string_view type,
                                         const BodyGiver& give, std::chrono::milliseconds timeout);

}  // namespace merpati::http
