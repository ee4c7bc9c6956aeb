#include "api/manage/devices/new_device.hpp"

#include <utility>

#include "model/connector.hpp"
#include "model/texts.hpp"

namespace merpati::api::manage {
namespace {

/// A number that the platform has confirmed is connected; another waits for a token.
void begin_on_cloud(model::Device& device, const std::optional<CloudAccess>& access) {
    device.state = access ? model::DeviceState::connected : model::DeviceState::disconnected;
    device.notified = access ? std::optional{device.state} : std::nullopt;
    if (!access) {
        device.state_reason = model::reasons::token_needed;
        return;
    }
    device.cloud = {.phone_number_id = access->phone_number_id.value_or(""),
                    .waba_id = access->waba_id.value_or("")};
}

/// Writes what is given of webhook, pace and access of a device that the account has already.
Result<void> change_known(store::Tables& tables, DeviceControl& devices, const NewDevice& wanted,
                          DeviceAdded& added) {
    auto& device = added.decision.device;
    const bool has_pace = wanted.pace != model::PacePatch{};
    added.written = wanted.webhook.has_value() || has_pace || wanted.cloud;
    if (!has_pace && !wanted.cloud) {
        return {};
    }
    if (wanted.cloud) {
        if (auto checked = check_is_cloud(device); !checked) {
            return checked;
        }
    }
    const store::DevicePatch patch{.pace = wanted.pace};
    auto changed = wanted.cloud ? give_access(tables, devices, device, *wanted.cloud, patch)
                                : tables.update_device(device.number, patch);
    if (!changed) {
        return pass(changed);
    }
    device = *std::move(changed);
    return {};
}

}  // namespace

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
        if (device.connector == model::cloud_connector) {
            begin_on_cloud(device, wanted.cloud);
        }
    }
    auto decision = tables.add_device(device, wanted.webhook.has_value());
    if (!decision) {
        return pass(decision);
    }
    DeviceAdded added{.decision = *std::move(decision)};
    using Decided = store::DeviceDecision::Result;
    Result<void> done;
    if (added.decision.result == Decided::added) {
        done = wanted.cloud ? put_access(tables, device.number, *wanted.cloud) : done;
        done = done ? devices.announce(tables, added.decision.device) : done;
    } else if (added.decision.result == Decided::known) {
        done = change_known(tables, devices, wanted, added);
    }
    if (!done) {
        return pass(done);
    }
    return added;
}

}  // namespace merpati::api::manage
