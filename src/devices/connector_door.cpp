#include "devices/connector_door.hpp"

#include <utility>

namespace merpati::devices {
namespace {

std::unexpected<Error> not_its_own() {
    return fail(ErrorCode::not_found, "this connector has no such device");
}

}  // namespace

void ConnectorDoor::outcome(const model::MessageId& message, model::PhoneNumber device,
                            model::Outcome outcome) {
    // Nothing is lost here: a device is not removed while one of its messages is being sent.
    if (find_own(device) != nullptr) {
        rooms_.keeper.outcome(message, std::move(outcome));
    }
}

void ConnectorDoor::device_state(const connector::DeviceRef& device, model::DeviceState state,
                                 std::string reason, Stored stored) {
    if (const auto own = find_here(device)) {
        rooms_.keeper.device_state(*own, state, std::move(reason), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::device_restricted(const connector::DeviceRef& device, Timestamp until,
                                      std::string reason, Stored stored) {
    if (const auto own = find_here(device)) {
        rooms_.keeper.device_state(*own, model::DeviceState::restricted, std::move(reason),
                                   std::move(stored), until);
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::pairing(const connector::DeviceRef& device, connector::PairingStep step) {
    if (const auto own = find_here(device)) {
        rooms_.keeper.pairing(*own, std::move(step));
    }
}

void ConnectorDoor::late_status(connector::LateStatus status, Stored stored) {
    if (const auto own = find_here(status.device)) {
        rooms_.keeper.late_status(*own, std::move(status), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::inbound(connector::InboundMessage message, Stored stored) {
    if (const auto own = find_here(message.device)) {
        rooms_.keeper.inbound(*own, std::move(message), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::capabilities_changed() {
    rooms_.keeper.capabilities_changed();
}

std::shared_ptr<const model::Device> ConnectorDoor::find_own(
    const connector::DeviceRef& device) const {
    auto known = rooms_.directory.find_device(device);
    if (known != nullptr && known->connector == connector_ && device.is(*known)) {
        return known;
    }
    rooms_.log.warn(
        "a report is ignored: its device is removed, or another connector's",
        {{"connector", connector_}, {"device", telemetry::mask_number(device.number.text())}});
    return nullptr;
}

std::shared_ptr<const model::Device> ConnectorDoor::find_here(
    const connector::DeviceRef& device) const {
    auto own = find_own(device);
    const bool is_here =
        own != nullptr && rooms_.ownership.of(own->account) != admission::Stay::elsewhere;
    return is_here ? std::move(own) : nullptr;
}

}  // namespace merpati::devices
