#include "daemon/connector_door.hpp"

#include <utility>

namespace merpati::daemon {
namespace {

std::unexpected<Error> not_its_own() {
    return fail(ErrorCode::not_found, "this connector has no such device");
}

}  // namespace

void ConnectorDoor::outcome(const model::MessageId& message, model::PhoneNumber device,
                            model::Outcome outcome) {
    // Nothing is lost here: a device is not removed while one of its messages is being sent.
    if (owns(device)) {
        rooms_.events.outcome(message, device, std::move(outcome));
    }
}

void ConnectorDoor::device_state(model::PhoneNumber device, model::DeviceState state,
                                 std::string reason, Stored stored) {
    if (owns(device)) {
        rooms_.events.device_state(device, state, std::move(reason), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::pairing(model::PhoneNumber device, connector::PairingStep step) {
    if (owns(device)) {
        rooms_.events.pairing(device, std::move(step));
    }
}

void ConnectorDoor::late_status(connector::LateStatus status, Stored stored) {
    if (owns(status.device)) {
        rooms_.events.late_status(std::move(status), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::inbound(connector::InboundMessage message, Stored stored) {
    if (owns(message.device)) {
        rooms_.events.inbound(std::move(message), std::move(stored));
    } else {
        stored(not_its_own());
    }
}

void ConnectorDoor::capabilities_changed() {
    rooms_.events.capabilities_changed();
}

bool ConnectorDoor::owns(model::PhoneNumber device) const {
    const auto known = rooms_.directory.find_device(device);
    if (known != nullptr && known->connector == connector_) {
        return true;
    }
    rooms_.log.warn("a report is left out: its device is not this connector's",
                    {{"connector", connector_}, {"device", telemetry::mask_number(device.text())}});
    return false;
}

}  // namespace merpati::daemon
