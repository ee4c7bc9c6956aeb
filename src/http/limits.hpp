// What the server lets in, and for how long it waits.
#pragma once

#include <chrono>
#include <cstddef>

namespace merpati::http {

struct Limits {
    std::size_t request_line_max = 8UL * 1024;
    std::size_t header_bytes_max = 16UL * 1024;
    std::size_t header_count_max = 64;
    std::size_t body_max = 64UL * 1024;
    std::size_t connections_max = 10'000;           // More are closed, most with a 503.
    std::size_t requests_per_connection = 100'000;  // Then `Connection: close`.
    std::chrono::seconds header_timeout{10};        // For the TLS handshake and the whole header.
    std::chrono::seconds body_timeout{20};
    std::chrono::seconds idle_timeout{60};           // Keep-alive between requests.
    std::chrono::seconds write_timeout{20};          // For a client that does not read its answer.
    std::size_t write_rate_min = 4096;               // Bytes a second, beyond write_timeout.
    std::chrono::milliseconds sweep_interval{1000};  // How often deadlines are looked at.

    /// What connections may hold together whose caller has not shown who it is (Request::vouch):
    /// handshakes under way, parts of requests, answers that are not read. Beyond it the address
    /// that holds most loses its oldest connection. Enough for 10,000 connections that wait, or for
    /// 500 handshakes; leaves a process of 20 MiB well below 64.
    std::size_t anonymous_bytes_max = 24UL * 1024 * 1024;
};

}  // namespace merpati::http
