// What operators and tools ask without a key: health, readiness, metrics, the API's description.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/router.hpp"

namespace merpati::api {

struct Operations {
    /// Empty when the server is ready, else why it is not, in ASCII: for the header X-Not-Ready.
    std::function<std::string()> not_ready;
    std::function<std::string()> metrics;  // The page.
    std::string metrics_token;             // Empty: peers on this machine may read, no others.

    /// Adds GET /healthz, /readyz and /openapi.yaml. The object must outlive the router.
    void add_to(http::Router& router) const;

    /// Adds GET /metrics: to the same router, or to that of `metrics.listen`.
    void add_metrics_to(http::Router& router) const;
};

/// docs/openapi.yaml, as this program was built with it.
[[nodiscard]] std::string_view openapi_yaml() noexcept;

}  // namespace merpati::api
