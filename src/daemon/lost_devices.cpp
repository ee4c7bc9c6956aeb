#include "daemon/lost_devices.hpp"

#include <memory>

#include "admission/checks.hpp"
#include "daemon/device_changes.hpp"

namespace merpati::daemon {

void LostDevices::follow(const model::Device& device) {
    const std::lock_guard lock{mutex_};
    if (!is_lost(device)) {
        lost_.erase(device.number);
        return;
    }
    const auto [found, is_new] = lost_.try_emplace(device.number);
    auto& lost = found->second;
    const auto identity = store::DeviceIdentity::of(device);
    if (is_new || lost.since != device.state_since || lost.device != identity) {
        lost = {.device = identity,
                .since = device.state_since,
                .due = rooms_.clock.steady_now() + admission::reconnecting_max};
    }
}

void LostDevices::forget(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    lost_.erase(device);
}

void LostDevices::notify() {
    if (notifying_.exchange(true)) {
        return;
    }
    auto due = take_due();
    if (due.empty()) {
        notifying_ = false;
        return;
    }
    const bool taken = rooms_.committer.change_always(
        [this, due = std::move(due)](store::Tables& tables) -> Result<void> {
            for (const auto& lost : due) {
                if (auto stored = record_loss(tables, rooms_.notices, lost.device, lost.since);
                    !stored) {
                    return stored;
                }
            }
            return {};
        },
        [this](const Result<void>& done) {
            if (!done) {
                rooms_.log.error("the webhook notices of lost devices are not stored",
                                 {{"why", done.error().detail}});
            }
            notifying_ = false;
        });
    if (!taken) {
        notifying_ = false;
    }
}

std::vector<LostDevices::Lost> LostDevices::take_due() {
    const auto now = rooms_.clock.steady_now();
    const std::lock_guard lock{mutex_};
    std::vector<Lost> due;
    for (auto at = lost_.begin(); at != lost_.end() && due.size() < notified_max;) {
        if (at->second.due <= now) {
            due.push_back(at->second);
            at = lost_.erase(at);
        } else {
            ++at;
        }
    }
    return due;
}

}  // namespace merpati::daemon
