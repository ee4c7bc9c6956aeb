// Replaces a connector that could not start.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "connector/connector.hpp"

namespace merpati::connector {

/// Devices do not connect, and their messages wait. A device that was connected becomes
/// `reconnecting`, so that it connects when the server starts with a working connector. Questions
/// to the platform are answered unreachable.
///
/// Threads: as Connector; reports come from within its calls.
class Unavailable final : public Connector {
public:
    Unavailable(CapabilitiesPtr capabilities, ConnectorEvents& events)
        : capabilities_(std::move(capabilities)), events_(events) {}

    [[nodiscard]] CapabilitiesPtr capabilities() const override { return capabilities_; }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override;
    [[nodiscard]] Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override;
    void stop() override {}
    [[nodiscard]] std::string trouble() const override { return "it did not start"; }
    void start_device(const model::Device& device, std::string_view pairing_method) override;
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override;
    void stop_device(model::PhoneNumber device) override;
    void forget_device(model::PhoneNumber) override {}
    void fetch_media(MediaRequest request, MediaFetched done) override;
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override;
    void send(const SendRequest& request) override;

private:
    const CapabilitiesPtr capabilities_;
    ConnectorEvents& events_;
};

}  // namespace merpati::connector
