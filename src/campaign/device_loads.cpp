#include "campaign/device_loads.hpp"

namespace merpati::campaign {

void DeviceLoads::add(model::CampaignId campaign, model::PhoneNumber device, std::size_t rows) {
    const std::lock_guard lock{mutex_};
    by_campaign_[campaign][device] += rows;
    by_device_[device] += rows;
}

void DeviceLoads::remove(model::CampaignId campaign, model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    const auto counts = by_campaign_.find(campaign);
    if (counts == by_campaign_.end()) {
        return;
    }
    const auto count = counts->second.find(device);
    if (count == counts->second.end()) {
        return;
    }
    if (--by_device_[device] == 0) {
        by_device_.erase(device);
    }
    if (--count->second == 0) {
        counts->second.erase(count);
    }
    if (counts->second.empty()) {
        by_campaign_.erase(counts);
    }
}

void DeviceLoads::forget(model::CampaignId campaign) {
    const std::lock_guard lock{mutex_};
    const auto counts = by_campaign_.find(campaign);
    if (counts == by_campaign_.end()) {
        return;
    }
    for (const auto& [device, count] : counts->second) {
        if ((by_device_[device] -= count) == 0) {
            by_device_.erase(device);
        }
    }
    by_campaign_.erase(counts);
}

std::size_t DeviceLoads::of(model::PhoneNumber device) const {
    const std::lock_guard lock{mutex_};
    const auto found = by_device_.find(device);
    return found == by_device_.end() ? 0 : found->second;
}

}  // namespace merpati::campaign
