// What operators and tools ask without a key: health, readiness, metrics, the API's description.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// What keeps the server from being ready.
struct Unready {
    std::string_view part;  // "store", "scheduler", "connectors", "server"
    std::string reason;     // For people: "is starting".
};

/// Threads: `unready` and `metrics` are called on the I/O threads, and must not block.
struct Monitoring {
    std::function<std::vector<Unready>()> unready;  // Empty when the server is ready.
    std::function<std::string()> metrics;           // The page.
    std::string_view version;                       // Of this program.
    std::string metrics_token;  // Empty: peers on this machine may read, no others.

    [[nodiscard]] bool may_read_metrics(const http::Request& request) const;

    [[nodiscard]] http::Reply readiness() const;
    [[nodiscard]] http::Reply metrics_page() const;
    [[nodiscard]] static http::Reply liveness();
    [[nodiscard]] static http::Reply description();
};

/// docs/openapi.yaml, as this program was built with it.
[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace merpati::api
