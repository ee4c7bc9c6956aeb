#include "api/manage/devices/new_device.hpp"

#include <utility>

#include <fmt/format.h>

#include "model/connector.hpp"
#include "model/texts.hpp"

namespace merpati::api::manage {
namespace {

using admission::Refusal;
using Addition = std::expected<DeviceAdded, DeviceRefusal>;

Addition refuse_device(Refusal reason, model::AccountId taken_by = {}) {
    return std::unexpected(DeviceRefusal{.reason = reason, .taken_by = taken_by});
}

/// A device stays on its connector. Errors: conflict, refused.
Result<void> check_connector(const std::optional<model::Device>& known, const model::Account& owner,
                             const NewDevice& wanted) {
    if (!known && !wanted.connector_offered) {
        return fail(
            ErrorCode::refused,
            fmt::format("accounts cannot add devices on the connector {} here", wanted.connector));
    }
    if (known && known->account == owner.id && wanted.connector_named &&
        wanted.connector != known->connector) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} is on the connector {}: remove it first to move it",
                                wanted.number.text(), known->connector));
    }
    return {};
}

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
    auto& device = added.device;
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

Result<Addition> add_device(store::Tables& tables, DeviceControl& devices,
                            const model::Account& owner, const NewDevice& wanted, Timestamp now) {
    if (wanted.plan_matters && owner.plan != model::Plan::paid) {
        return refuse_device(Refusal::plan_forbids_devices);
    }
    const auto known = tables.find_device(wanted.number);
    if (!known) {
        return pass(known);
    }
    if (auto checked = check_connector(*known, owner, wanted); !checked) {
        return pass(checked);
    }
    model::Device device{.number = wanted.number,
                         .account = owner.id,
                         .connector = wanted.connector,
                         .webhook_url = wanted.webhook.value_or("")};
    device.created_at = device.state_since = now;
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
    DeviceAdded added{.device = std::move(decision->device)};
    Result<void> done;
    switch (decision->result) {
        case store::DeviceDecision::Result::owned_by_another:
            return refuse_device(Refusal::device_taken, added.device.account);
        case store::DeviceDecision::Result::no_room:
            return refuse_device(Refusal::devices_exhausted);
        case store::DeviceDecision::Result::added:
            done = wanted.cloud ? put_access(tables, added.device.number, *wanted.cloud) : done;
            done = done ? devices.announce(tables, added.device) : done;
            break;
        case store::DeviceDecision::Result::known:
            done = change_known(tables, devices, wanted, added);
            break;
    }
    return done ? Result<Addition>{std::move(added)} : pass(done);
}

}  // namespace merpati::api::manage
