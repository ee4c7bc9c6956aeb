// Collects the metrics of GET /metrics, and what the other pages for operators and tools show.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/events/event_hub.hpp"
#include "api/monitoring.hpp"
#include "base/queue_clock.hpp"
#include "callback/sender.hpp"
#include "campaign/open_campaigns.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/health.hpp"
#include "daemon/node.hpp"
#include "daemon/tally.hpp"
#include "http/server.hpp"
#include "media/media_fetcher.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {

/// The rooms that the metrics come from.
struct Counted {
    const QueueClock& clock;
    const Node* node;  // Null: no other process can share the store.
    /// How many requests were passed on to other nodes. Empty: there are none.
    std::function<std::uint64_t()> passed_total;
    const Tally& tally;
    const store::Store& store;
    const admission::Directory& directory;
    const admission::Ownership& ownership;
    const connector::Connectors& connectors;
    const store::Committer& committer;
    const scheduler::Scheduler& scheduler;
    const callback::Sender& sender;
    const http::Server& server;
    const media::MediaFetcher& media_fetcher;
    const api::EventHub& events;
    const campaign::OpenCampaigns& open_campaigns;
    const CampaignRooms& campaigns;
};

/// Every metric with its current value. docs/operations.md lists them; a test compares.
[[nodiscard]] std::vector<telemetry::Figure> figures_of(const Counted& rooms);

/// What the pages for operators and tools show. All of the arguments must outlive it.
[[nodiscard]] api::Monitoring monitoring_of(const Counted& rooms, const Health& health,
                                            const config::Settings& settings);

}  // namespace merpati::daemon
