// What operators and tools ask without a key: health, readiness, metrics, the API's description.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// What keeps the server from being ready, or a part of it from working.
struct Unready {
    std::string part;    // "store", "scheduler", "connectors", "server", "connector linked"
    std::string reason;  // For people: "is starting".
};

/// Threads: `unready`, `degraded` and `metrics` are called on the I/O threads, and must not block.
struct Monitoring {
    std::function<std::vector<Unready>()> unready;  // Empty when the server is ready.
    /// What does not work though messages can be accepted. Unset: there is nothing.
    std::function<std::vector<Unready>()> degraded;
    std::function<std::string()> metrics;  // The page.
    std::string_view version;              // Of this program.
    std::string metrics_token;             // Empty: peers on this machine may read, no others.

    [[nodiscard]] bool may_read_metrics(const http::Request& request) const;

    [[nodiscard]] http::Reply readiness() const;
    [[nodiscard]] http::Reply metrics_page() const;
    [[nodiscard]] static http::Reply liveness();
    [[nodiscard]] static http::Reply description();
};

/// docs/openapi.yaml, as this program was built with it.
[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace merpati::api
