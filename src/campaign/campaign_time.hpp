// How long a campaign takes with its plan and its devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "store/lane_reader.hpp"

namespace merpati::campaign {

struct CampaignTimeInput {
    const model::Campaign& campaign;
    std::int64_t messages = 0;
    std::span<const model::Device* const> devices;  // Those that send.
    Timestamp now;                                  // By the wall clock.
};

/// The time from its start, or from now if that has passed, to its last message (estimate.hpp):
/// with its pace, quiet hours and `finish_by`, and the paces of the devices and what they have sent
/// today. Errors: those of store::LaneReader and TimeZone::find.
[[nodiscard]] Result<std::chrono::seconds> campaign_time(const CampaignTimeInput& input,
                                                         store::LaneReader& lanes);

}  // namespace merpati::campaign
