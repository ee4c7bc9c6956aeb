// What one connector reports to, and where it keeps secrets: for its own devices alone.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "connector/connectors.hpp"
#include "daemon/device_secrets.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Passes on what a connector reports of a device that is on this connector; everything else it
/// refuses as not_found, so that no connector speaks for another one's devices.
///
/// Operation: looks the device up when it is reported. Whoever stores the report finds out whether
/// the device is still the same one by then (DeviceKeeper).
///
/// Threads: any.
class ConnectorDoor final : public connector::ConnectorEvents {
public:
    struct Rooms {
        const admission::Directory& directory;
        connector::ConnectorEvents& events;
        store::Committer& committer;
        telemetry::Log log;
    };
    ConnectorDoor(std::string connector, Rooms rooms)
        : connector_(std::move(connector)),
          rooms_(std::move(rooms)),
          secrets_(rooms_.committer, connector_) {}

    [[nodiscard]] connector::Connectors::Door door() {
        return {.events = *this, .secrets = secrets_};
    }

    void outcome(const model::MessageId& message, model::PhoneNumber device,
                 model::Outcome outcome) override;
    void device_state(model::PhoneNumber device, model::DeviceState state, std::string reason,
                      Stored stored) override;
    void pairing(model::PhoneNumber device, connector::PairingStep step) override;
    void late_status(connector::LateStatus status, Stored stored) override;
    void inbound(connector::InboundMessage message, Stored stored) override;
    void capabilities_changed() override;

private:
    [[nodiscard]] bool owns(model::PhoneNumber device) const;

    const std::string connector_;
    const Rooms rooms_;
    DeviceSecrets secrets_;
};

/// The doors of all connectors, made when they are asked for.
class ConnectorDoors {
public:
    explicit ConnectorDoors(ConnectorDoor::Rooms rooms) : rooms_(std::move(rooms)) {}

    [[nodiscard]] connector::Connectors::Door of(std::string_view connector) {
        return doors_.try_emplace(std::string{connector}, std::string{connector}, rooms_)
            .first->second.door();
    }

private:
    const ConnectorDoor::Rooms rooms_;
    std::map<std::string, ConnectorDoor> doors_;
};

}  // namespace merpati::daemon
