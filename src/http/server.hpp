// The HTTP/1.x server.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "http/limits.hpp"
#include "http/router.hpp"
#include "telemetry/log.hpp"

namespace merpati::http {

struct Options {
    /// "127.0.0.1:8080", "[::1]:8080"; port 0 lets the kernel choose.
    std::vector<std::string> listen;
    std::string local_socket;  // Path of the management socket; empty: none. Mode 0600.
    std::size_t threads = 1;
    std::string tls_certificate;  // PEM files; both or neither. Serves HTTPS on all of `listen`.
    std::string tls_key;
    Limits limits;
};

/// Counters for telemetry; read from any thread.
struct Counts {
    std::uint64_t connections_open = 0;
    std::uint64_t connections_total = 0;
    std::uint64_t requests_total = 0;
    std::uint64_t refused_total = 0;    // For framing, a limit or overload.
    std::uint64_t shed_total = 0;       // Connections that were closed to make room for others.
    std::uint64_t hung_up_total = 0;    // Clients that hung up while they waited for an answer.
    std::uint64_t anonymous_bytes = 0;  // See Limits::anonymous_bytes_max.
    std::uint64_t caller_bytes = 0;     // See Limits::caller_bytes_max.
};

/// The number of answers of a path by class of status: [0] is 1xx, [4] is 5xx.
struct PathAnswers {
    std::string path;  // As in the router; empty: no path matched, or there was no whole request.
    std::array<std::uint64_t, 5> by_class{};
};

/// Accepts connections, reads whole requests, calls the router's handlers, writes their replies.
///
/// Threads: `threads` I/O threads, each with its own io_context, listening sockets (SO_REUSEPORT)
/// and connections. The first thread also serves the management socket. `start`, `drain` and `stop`
/// by the owner; `counts` and `answers` from any thread once it has started.
///
/// Limits: Limits. One request of a connection is handled at a time; pipelined requests wait in the
/// read buffer. A periodic sweep (Limits::sweep_interval) checks all deadlines; there is no timer
/// per request.
class Server {
public:
    /// `local_router` serves the management socket, `router` everything else.
    /// The routers must outlive the server. `refusal` is called on the I/O threads. Exceptions of
    /// handlers are logged.
    Server(const Clock& clock, Random& random, Options options, const Router& router,
           const Router& local_router, RefusalBody refusal,
           telemetry::Log log = telemetry::Log::none());
    ~Server();

    /// Binds and starts the threads. Call once. Errors, with the remedy: invalid_argument (a
    /// malformed address or socket path), io_failed (address in use, bad certificate or key, one of
    /// the two missing).
    [[nodiscard]] Result<void> start();

    /// The bound addresses of `listen`, with the actual ports ("127.0.0.1:43211").
    [[nodiscard]] std::vector<std::string> addresses() const;

    /// Stops accepting and closes idle connections; requests in progress are answered with
    /// `Connection: close`. Returns when nothing listens any more, and no connection is left or
    /// `deadline` has passed. May be called again to wait longer.
    void drain(std::chrono::milliseconds deadline);

    /// Closes everything and joins the threads. Idempotent; the destructor calls it.
    void stop();

    [[nodiscard]] Counts counts() const noexcept;

    /// One row for each path; a path in both routers has one row.
    [[nodiscard]] std::vector<PathAnswers> answers() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::http
