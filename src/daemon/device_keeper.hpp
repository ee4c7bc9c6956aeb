// What connectors say of devices, made known to everyone whom it concerns.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "api/manage/context.hpp"
#include "base/clock.hpp"
#include "callback/sender.hpp"
#include "connector/connectors.hpp"
#include "daemon/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Joins connectors to the rest: outcomes go to the scheduler; a device's state goes to the
/// directory and the scheduler at once, to the store, and to the device's webhook.
///
/// Faults: a state that was not committed when the process dies is told again by the connector at
/// the next start. Webhook events are committed with the state they tell of.
///
/// Threads: any.
class DeviceKeeper final : public connector::ConnectorEvents, public api::manage::DeviceControl {
public:
    struct Rooms {
        const Clock& clock;
        Notices& notices;
        const connector::Connectors& connectors;
        store::Committer& committer;
        admission::Directory& directory;
        scheduler::Scheduler& scheduler;
        callback::Sender& sender;
        telemetry::Log log;
    };
    explicit DeviceKeeper(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Tells the scheduler of every device and connects those that were connected before.
    void start();

    // connector::ConnectorEvents
    void outcome(const model::MessageId& message, model::PhoneNumber device,
                 model::Outcome outcome) override;
    void device_state(model::PhoneNumber device, model::DeviceState state,
                      std::string reason) override;
    void pairing(model::PhoneNumber device, connector::PairingStep step) override;
    void late_status(connector::LateStatus status) override;
    void inbound(connector::InboundMessage message) override;

    /// `put`, for callers of the API.
    void added(const model::Device& device, bool is_new);

    // api::manage::DeviceControl
    [[nodiscard]] Result<model::DeviceState> first_state(model::ConnectorKind kind) override;
    [[nodiscard]] Result<void> put(const model::Device& device, bool is_new) override {
        added(device, is_new);
        return {};
    }
    [[nodiscard]] Result<model::Device> connect(const model::Device& device) override;
    [[nodiscard]] Result<model::Device> disconnect(const model::Device& device) override;
    void removed(const model::Device& device) override;

private:
    void commit(std::move_only_function<Result<void>(store::Tables&)> change,
                std::optional<model::Callback> event);
    void notify(model::PhoneNumber device, std::string_view event, const EventData& data);
    void tell(std::optional<model::Callback> notice);
    [[nodiscard]] Result<connector::Connector*> connector_of(const model::Device& device) const;
    [[nodiscard]] Result<model::Device> settled(model::PhoneNumber number);

    Rooms rooms_;
};

}  // namespace merpati::daemon
