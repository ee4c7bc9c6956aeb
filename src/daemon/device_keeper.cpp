#include "daemon/device_keeper.hpp"

namespace merpati::daemon {
namespace {

using model::DeviceState;

bool was_up(DeviceState state) {
    return state == DeviceState::connected || state == DeviceState::reconnecting;
}

}  // namespace

void DeviceKeeper::start() {
    for (const auto& device : rooms_.directory.devices(std::nullopt)) {
        rooms_.scheduler.device_changed(device);
        if (auto* connector = rooms_.connectors.find(device.connector);
            connector != nullptr && was_up(device.state)) {
            connector->start_device(device, {});
        }
    }
}

void DeviceKeeper::outcome(const model::MessageId& message, model::PhoneNumber,
                           model::Outcome outcome) {
    rooms_.scheduler.outcome(message, std::move(outcome));
}

void DeviceKeeper::device_state(model::PhoneNumber number, DeviceState state, std::string reason) {
    const auto known = rooms_.directory.find_device(number);
    if (known == nullptr) {
        return;
    }
    auto device = *known;
    const bool changed = device.state != state;
    device.state = state;
    if (changed) {
        device.state_since = rooms_.clock.now();
        rooms_.directory.put_device(device);
    }
    rooms_.scheduler.device_changed(device);
    if (!changed) {
        return;
    }
    rooms_.log.info("device changed its state", {{"device", telemetry::mask_number(number.text())},
                                                 {"state", model::to_string(state)},
                                                 {"reason", reason}});
    commit([number, state, since = device.state_since](
               store::Tables& tables) { return tables.set_device_state(number, state, since); },
           rooms_.notices.of_state(device, reason));
}

void DeviceKeeper::pairing(model::PhoneNumber device, connector::PairingStep step) {
    notify(device, "device.pairing",
           EventData{}
               .add("method", step.method)
               .add("payload", step.payload)
               .add("expiresAt", to_rfc3339(step.expires_at)));
}

void DeviceKeeper::late_status(connector::LateStatus status) {
    notify(status.device, "message.status",
           EventData{}
               .add("requestId", status.message.text())
               .add("status", status.status)
               .add("at", to_rfc3339(status.at)));
}

void DeviceKeeper::inbound(connector::InboundMessage message) {
    notify(message.device, "message.received",
           EventData{}
               .add("from", message.sender)
               .add("type", message.type)
               .add("body", message.body)
               .add("messageid", message.platform_id)
               .add("at", to_rfc3339(message.at)));
}

Result<DeviceState> DeviceKeeper::first_state(model::ConnectorKind kind) {
    const auto* connector = rooms_.connectors.find(kind);
    if (connector == nullptr) {
        return fail(ErrorCode::refused,
                    "this server has no connector '" + std::string{model::to_string(kind)} + "'");
    }
    return connector->capabilities().pairing.empty() ? DeviceState::connected
                                                     : DeviceState::disconnected;
}

void DeviceKeeper::added(const model::Device& device, bool is_new) {
    rooms_.scheduler.device_changed(device);
    auto* connector = rooms_.connectors.find(device.connector);
    if (!is_new || connector == nullptr || device.state != DeviceState::connected) {
        return;
    }
    connector->start_device(device, {});
    // It began connected, so no change of state tells its webhook.
    tell(rooms_.notices.of_state(device, {}));
}

Result<model::Device> DeviceKeeper::connect(const model::Device& device) {
    auto connector = connector_of(device);
    if (!connector) {
        return pass(connector);
    }
    (*connector)->start_device(device, {});
    return settled(device.number);
}

Result<model::Device> DeviceKeeper::disconnect(const model::Device& device) {
    auto connector = connector_of(device);
    if (!connector) {
        return pass(connector);
    }
    (*connector)->stop_device(device.number);
    return settled(device.number);
}

void DeviceKeeper::removed(const model::Device& device) {
    rooms_.scheduler.device_removed(device.number);
    if (auto* connector = rooms_.connectors.find(device.connector)) {
        connector->forget_device(device.number);
    }
}

Result<connector::Connector*> DeviceKeeper::connector_of(const model::Device& device) const {
    auto* connector = rooms_.connectors.find(device.connector);
    if (connector == nullptr) {
        return fail(ErrorCode::refused, "this server has no connector '" +
                                            std::string{model::to_string(device.connector)} + "'");
    }
    return connector;
}

/// Changes are committed in order, so an empty one that is durable says that those before it are.
Result<model::Device> DeviceKeeper::settled(model::PhoneNumber number) {
    if (auto waited =
            rooms_.committer.change_and_wait([](store::Tables&) -> Result<void> { return {}; });
        !waited) {
        return pass(waited);
    }
    const auto device = rooms_.directory.find_device(number);
    if (device == nullptr) {
        return fail(ErrorCode::not_found, "the device was removed meanwhile");
    }
    return *device;
}

void DeviceKeeper::notify(model::PhoneNumber number, std::string_view event,
                          const EventData& data) {
    if (const auto device = rooms_.directory.find_device(number)) {
        tell(rooms_.notices.of_event(*device, event, data));
    }
}

void DeviceKeeper::tell(std::optional<model::Callback> notice) {
    if (notice) {
        commit([](store::Tables&) -> Result<void> { return {}; }, std::move(notice));
    }
}

void DeviceKeeper::commit(std::move_only_function<Result<void>(store::Tables&)> change,
                          std::optional<model::Callback> event) {
    const bool taken = rooms_.committer.change(
        [change = std::move(change), event](store::Tables& tables) mutable -> Result<void> {
            if (auto changed = change(tables); !changed) {
                return changed;
            }
            return event ? tables.add_callback(*event) : Result<void>{};
        },
        [this, event](const Result<void>& done) mutable {
            if (!done) {
                rooms_.log.error("cannot store a device's state", {{"why", done.error().detail}});
            } else if (event) {
                rooms_.sender.committed(std::move(*event));
            }
        });
    if (!taken) {
        rooms_.log.error("cannot store a device's state", {{"why", "the store is busy"}});
    }
}

}  // namespace merpati::daemon
