// The server's limits on size, number and time.
#pragma once

#include <chrono>
#include <cstddef>

namespace merpati::http {

struct Limits {
    std::size_t request_line_max = 8UL * 1024;
    std::size_t header_bytes_max = 16UL * 1024;
    std::size_t header_count_max = 64;
    std::size_t body_max = 64UL * 1024;
    std::size_t connections_max = 10'000;           // Beyond it: see IoThread.
    std::size_t requests_per_connection = 100'000;  // Then `Connection: close`.
    std::chrono::seconds header_timeout{10};        // For the TLS handshake and the whole header.
    std::chrono::seconds body_timeout{20};
    /// Bytes a second of a body that is received in pieces, beyond body_timeout. Only the time for
    /// which the server waits for the client counts. Some bytes must come every body_timeout.
    std::size_t body_rate_min = 4096;
    std::chrono::seconds idle_timeout{60};   // Keep-alive between requests.
    std::chrono::seconds write_timeout{20};  // For a client that does not read its answer.
    std::size_t write_rate_min = 4096;       // Bytes a second, beyond write_timeout.
    // How often deadlines are checked. A deadline may pass two intervals late, never early.
    std::chrono::milliseconds sweep_interval{1000};

    /// The memory of all anonymous connections together: TLS handshakes, partial requests, unread
    /// answers. A connection is anonymous while its caller is not authenticated (Request::vouch).
    /// Each I/O thread gets an equal part, at least IoThread::bytes_min. Beyond it, the address
    /// that holds most loses a connection (PartyShares). Enough for 10,000 waiting connections, or
    /// for 500 handshakes; leaves a process of 20 MiB well below 64.
    std::size_t anonymous_bytes_max = 24UL * 1024 * 1024;

    /// The same for known callers, of whom only partial requests and unread answers count: the
    /// other memory of a connection is bounded by `connections_max`. Enough for 128 unread pages or
    /// pieces of 256 KiB.
    std::size_t caller_bytes_max = 32UL * 1024 * 1024;
};

}  // namespace merpati::http
