// What operators and tools ask without a key: health, readiness, metrics, the API's description.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/router.hpp"

namespace merpati::api {

/// What keeps the server from being ready.
struct Unready {
    std::string_view part;  // "store", "scheduler", "connectors", "server"
    std::string reason;     // For people: "is starting".
};

struct Operations {
    std::function<std::vector<Unready>()> unready;  // Empty when the server is ready.
    std::function<std::string()> metrics;           // The page.
    std::string metrics_token;  // Empty: peers on this machine may read, no others.

    /// Adds GET /healthz, /readyz and /openapi.yaml. The object must outlive the router.
    void add_to(http::Router& router) const;

    /// Adds GET /metrics: to the same router, or to that of `metrics.listen`.
    void add_metrics_to(http::Router& router) const;
};

/// docs/openapi.yaml, as this program was built with it.
[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace merpati::api
