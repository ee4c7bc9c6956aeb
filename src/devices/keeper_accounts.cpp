// The keeper: attaches devices, all at the start or those of some shards, and detaches them.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "devices/keeper.hpp"
#include "model/texts.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;

/// So that a step of the scheduler is short.
constexpr std::size_t attached_together = 256;

}  // namespace

/// Runs on the committer's thread, so that devices committed meanwhile are followed afterwards.
Result<void> DeviceKeeper::start() {
    return rooms_.committer.change_and_wait(
        [](store::Tables&) -> Result<void> { return {}; },
        [this] {
            for (const auto& device : devices_of(rooms_.ownership.here())) {
                rooms_.scheduler.device_changed(device);  // It has read all lanes.
                take_up(device);
            }
        });
}

std::vector<model::Device> DeviceKeeper::devices_of(const store::ShardSet& shards) const {
    if (shards.empty()) {
        return {};
    }
    auto devices = rooms_.directory.devices(std::nullopt);
    std::erase_if(devices, [&](const auto& device) { return !shards.has(device.account); });
    return devices;
}

std::vector<model::PhoneNumber> DeviceKeeper::numbers_of(const store::ShardSet& shards) const {
    std::vector<model::PhoneNumber> numbers;
    for (const auto& device : devices_of(shards)) {
        numbers.push_back(device.number);
    }
    return numbers;
}

void DeviceKeeper::attach(const store::ShardSet& shards) {
    const auto devices = devices_of(shards);
    for (auto rest = std::span{devices}; !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), attached_together));
        rooms_.scheduler.attach({some.begin(), some.end()});
        rest = rest.subspan(some.size());
    }
    std::ranges::for_each(devices, [this](const auto& device) { take_up(device); });
}

void DeviceKeeper::take_up(const model::Device& device) {
    rooms_.lost_devices.follow(device);
    rooms_.restrictions.follow(device);
    auto* connector = rooms_.connectors.find(device.connector);
    if (connector != nullptr) {
        connector->know_device(device);
    }
    if (connector != nullptr && model::is_linked(device.state)) {
        connector->start_device(device, {});
    } else if (device.state == DeviceState::pairing) {
        // Its step ended with the process that showed it.
        device_state(device, DeviceState::disconnected,
                     std::string{model::reasons::pairing_interrupted}, [](const Result<void>&) {});
    }
}

void DeviceKeeper::detach(const store::ShardSet& shards, model::Leave how,
                          std::shared_ptr<const void> done) {
    for (const auto& device : devices_of(shards)) {
        const auto number = device.number;
        rooms_.lost_devices.forget(number);
        rooms_.restrictions.forget(number);
        pairings_.forget(number);
        auto* connector = rooms_.connectors.find(device.connector);
        if (connector == nullptr) {
            continue;
        }
        connector->stop_device(number);
        if (how == model::Leave::when_settled) {
            connector->settle_device(number, [this, number, done](const Result<void>& settled) {
                if (!settled) {
                    rooms_.log.warn("a device leaves this process that may still be connected",
                                    {{"device", telemetry::mask_number(number.text())},
                                     {"why", settled.error().detail}});
                }
            });
        }
        connector->after_reports([done] {});
    }
}

}  // namespace merpati::devices
