#include "api/manage/devices/new_device.hpp"

#include <utility>

namespace merpati::api::manage {

Result<DeviceAdded> add_device(store::Tables& tables, DeviceControl& devices,
                               const model::Account& owner, const NewDevice& wanted,
                               Timestamp now) {
    model::Device device{.number = wanted.number,
                         .account = owner.id,
                         .connector = wanted.connector,
                         .webhook_url = wanted.webhook.value_or("")};
    device.created_at = device.state_since = now;
    const auto known = tables.find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (!*known) {
        auto prepared = devices.prepare(device);
        if (!prepared && !wanted.waits_for_connector) {
            return pass(prepared);
        }
        wanted.pace.apply_to(device.pace);
    }
    auto decision = tables.add_device(device, wanted.webhook.has_value());
    if (!decision) {
        return pass(decision);
    }
    DeviceAdded added{.decision = *std::move(decision)};
    using Decided = store::DeviceDecision::Result;
    if (added.decision.result == Decided::added) {
        if (auto announced = devices.announce(tables, added.decision.device); !announced) {
            return pass(announced);
        }
    } else if (added.decision.result == Decided::known) {
        const bool has_pace = wanted.pace != model::PacePatch{};
        added.written = wanted.webhook.has_value() || has_pace;
        if (has_pace) {
            auto changed =
                tables.update_device(added.decision.device.number, {.pace = wanted.pace});
            if (!changed) {
                return pass(changed);
            }
            added.decision.device = *std::move(changed);
        }
    }
    return added;
}

}  // namespace merpati::api::manage
