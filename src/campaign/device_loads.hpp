// How many messages of campaigns each device holds.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

#include "model/ids.hpp"

namespace merpati::campaign {

/// Counts rows that are on their way to a lane, in it, or with the platform. It is an estimate by
/// which new rows are measured out: messages that people put back are not in it, and `forget` mends
/// it whenever a campaign has no queued row.
///
/// Threads: any.
class DeviceLoads {
public:
    void add(model::CampaignId campaign, model::PhoneNumber device, std::size_t rows = 1);
    void remove(model::CampaignId campaign, model::PhoneNumber device);
    /// The campaign has no queued row.
    void forget(model::CampaignId campaign);
    [[nodiscard]] std::size_t of(model::PhoneNumber device) const;

private:
    mutable std::mutex mutex_;
    std::unordered_map<model::CampaignId, std::map<model::PhoneNumber, std::size_t>> by_campaign_;
    std::unordered_map<model::PhoneNumber, std::size_t> by_device_;
};

}  // namespace merpati::campaign
