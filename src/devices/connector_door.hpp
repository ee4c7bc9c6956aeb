// Gives each connector access to its own devices only: their reports and their secrets.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "connector/connectors.hpp"
#include "devices/keeper.hpp"
#include "devices/stored_secrets.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Passes a connector's reports on if their device belongs to this connector. Other reports are
/// logged and dropped, with not_found where the report has an answer, so that no connector can
/// report for another connector's devices.
///
/// Operation: looks the device up when the report arrives, and passes on the device that it found,
/// if it is the one that the connector means, and not a later one of the same number.
/// DeviceKeeper, which stores the report, checks that the number still belongs to that device.
/// Reports on devices of an account that is detached are dropped, with not_found: the
/// platform repeats them to its next owner. Outcomes pass: the scheduler knows which it awaits.
///
/// Threads: any.
class ConnectorDoor final : public connector::ConnectorEvents {
public:
    struct Rooms {
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        DeviceKeeper& keeper;
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
    void device_state(const connector::DeviceRef& device, model::DeviceState state,
                      std::string reason, Stored stored) override;
    void device_restricted(const connector::DeviceRef& device, Timestamp until, std::string reason,
                           Stored stored) override;
    void pairing(const connector::DeviceRef& device, connector::PairingStep step) override;
    void late_status(connector::LateStatus status, Stored stored) override;
    void inbound(connector::InboundMessage message, Stored stored) override;
    void capabilities_changed() override;

private:
    /// Null: this connector has no such device.
    [[nodiscard]] std::shared_ptr<const model::Device> find_own(
        const connector::DeviceRef& device) const;
    /// Null: nor does this process work for its account.
    [[nodiscard]] std::shared_ptr<const model::Device> find_here(
        const connector::DeviceRef& device) const;

    const std::string connector_;
    const Rooms rooms_;
    StoredSecrets secrets_;
};

/// The doors of all connectors. `of` creates a door at its first call for a connector.
///
/// Threads: one at a time.
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

}  // namespace merpati::devices
