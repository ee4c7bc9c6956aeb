// Pages for operators and tools, without an API key: health, readiness, metrics, the description.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// A part of the server that is not ready, or does not work.
struct Unready {
    std::string part;    // "store", "scheduler", "connectors", "server", "connector linked"
    std::string reason;  // For people: "is starting".
};

/// Threads: `unready`, `degraded` and `metrics` are called on the I/O threads, and must not block.
struct Monitoring {
    std::function<std::vector<Unready>()> unready;  // Empty when the server is ready.
    /// Parts that do not work although messages can be accepted. Unset: none.
    std::function<std::vector<Unready>()> degraded;
    std::function<std::string()> metrics;  // The page.
    std::string_view version;              // Of this program.
    std::string metrics_token;             // Empty: only peers on this machine may read them.

    [[nodiscard]] bool may_read_metrics(const http::Request& request) const;

    [[nodiscard]] http::Reply readiness() const;
    [[nodiscard]] http::Reply metrics_page() const;
    [[nodiscard]] static http::Reply liveness();
    [[nodiscard]] static http::Reply description();
};

/// docs/openapi.yaml, compiled into the program.
[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace merpati::api
