// The keeper: attaches devices, all at the start or those of an account, and detaches them.
#include <functional>
#include <memory>
#include <utility>

#include "devices/keeper.hpp"
#include "model/texts.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;

/// Calls a function when the last copy of its pointer is gone.
class AtLast {
public:
    explicit AtLast(std::move_only_function<void()> call) : call_(std::move(call)) {}
    AtLast(const AtLast&) = delete;
    AtLast& operator=(const AtLast&) = delete;
    ~AtLast() { call_(); }

private:
    std::move_only_function<void()> call_;
};

}  // namespace

/// Runs on the committer's thread, so that devices committed meanwhile are followed afterwards.
Result<void> DeviceKeeper::start() {
    return rooms_.committer.change_and_wait(
        [](store::Tables&) -> Result<void> { return {}; },
        [this] {
            for (const auto& device : rooms_.directory.devices(std::nullopt)) {
                rooms_.scheduler.device_changed(device);  // It has read all lanes.
                take_up(device);
            }
        });
}

void DeviceKeeper::attach(model::AccountId account) {
    for (const auto& device : rooms_.directory.devices(account)) {
        rooms_.scheduler.attach(device);
        take_up(device);
    }
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

void DeviceKeeper::detach(model::AccountId account, model::Leave how,
                          std::move_only_function<void()> done) {
    const auto last = std::make_shared<const AtLast>(std::move(done));
    for (const auto& device : rooms_.directory.devices(account)) {
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
            connector->settle_device(number, [this, number, last](const Result<void>& settled) {
                if (!settled) {
                    rooms_.log.warn("a device leaves this process that may still be connected",
                                    {{"device", telemetry::mask_number(number.text())},
                                     {"why", settled.error().detail}});
                }
            });
        }
        connector->after_reports([last] {});
    }
}

}  // namespace merpati::devices
