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
    std::uint64_t refused_total = 0;    // Framing, limits, overload.
    std::uint64_t shed_total = 0;       // Anonymous connections, closed to make room.
    std::uint64_t anonymous_bytes = 0;  // What they hold; see Limits::anonymous_bytes_max.
};

/// How often a path was answered, by class of status: [0] is 1xx, [4] is 5xx.
struct PathAnswers {
    std::string path;  // As in the router; empty: none matched, or no request could be read.
    std::array<std::uint64_t, 5> by_class{};
};

/// Accepts connections, reads whole requests, calls the router's handlers, writes their replies.
///
/// Threads: `threads` I/O threads, each with its own io_context, its own acceptor (SO_REUSEPORT)
/// and its own connections; nothing is shared on the way in. The management socket is served by
/// the first thread.
///
/// Limits: see Limits. One request of a connection is handled at a time; pipelined ones wait in
/// the read buffer. Deadlines are checked by a sweep once a second, never by a timer per request.
class Server {
public:
    /// `local_router` serves the management socket, `router` everything else.
    /// The routers must outlive the server. `refusal` is called on the I/O threads.
    Server(const Clock& clock, Random& random, Options options, const Router& router,
           const Router& local_router, RefusalBody refusal);
    ~Server();

    /// Binds and starts the threads. Errors: invalid_argument (no address), io_failed (address in
    /// use, bad certificate), with a sentence that says what to do.
    [[nodiscard]] Result<void> start();

    /// The addresses really bound ("127.0.0.1:43211"), for port 0.
    [[nodiscard]] std::vector<std::string> addresses() const;

    /// Stops accepting; idle connections are closed, answers under way get `Connection: close`.
    /// Returns when none is left, or at the deadline. May be called again to wait longer.
    void drain(std::chrono::milliseconds deadline);

    /// Closes everything and joins the threads. Idempotent; the destructor calls it.
    void stop();

    [[nodiscard]] Counts counts() const noexcept;

    /// Of both routers together, one row a path.
    [[nodiscard]] std::vector<PathAnswers> answers() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::http
