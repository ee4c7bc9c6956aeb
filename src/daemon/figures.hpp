// Collects the metrics of GET /metrics, and what the other pages for operators and tools show.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "api/monitoring.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/health.hpp"
#include "daemon/sending_rooms.hpp"
#include "http/server.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {

/// The rooms that the metrics come from.
struct Counted {
    const CoreRooms& core;
    const SendingRooms& sending;
    const CampaignRooms& campaigns;
    const http::Server& server;
    /// How many requests were passed on to other nodes. Empty: there are none.
    std::function<std::uint64_t()> passed_total;
};

/// Every metric with its current value. docs/operations.md lists them; a test compares.
[[nodiscard]] std::vector<telemetry::Figure> figures_of(const Counted& rooms);

/// What the pages for operators and tools show. All of the arguments must outlive it.
[[nodiscard]] api::Monitoring monitoring_of(const Counted& rooms, const Health& health);

}  // namespace merpati::daemon
