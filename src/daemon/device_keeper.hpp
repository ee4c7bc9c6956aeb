// Stores what connectors report of devices, and passes it on to the other rooms.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "admission/directory.hpp"
#include "api/manage/context.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "connector/connectors.hpp"
#include "daemon/device_moves.hpp"
#include "daemon/late_statuses.hpp"
#include "daemon/lost_devices.hpp"
#include "daemon/notices.hpp"
#include "daemon/pairing_board.hpp"
#include "daemon/state_reports.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Joins connectors to the rest: outcomes go to the scheduler; a device's state goes to the store,
/// with its webhook notice, and from there to the other rooms.
///
/// Operation: `follow` gets every device that was written, in the order of the commits, and passes
/// it to scheduler and connector. Connectors are asked to connect and to disconnect on that same
/// thread, so that the last request is that of the last commit.
///
/// Faults: a state that was not committed when the process dies is reported again by the connector
/// at the next start.
///
/// Threads: any, unless said otherwise.
///
/// Limits: StateReports; of all other reports, 1 MiB or 256 small ones of each device wait to be
/// stored (`waiting_max`), more are refused as busy.
class DeviceKeeper final : public connector::ConnectorEvents, public api::manage::DeviceControl {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        Notices& notices;
        const connector::Connectors& connectors;
        store::Committer& committer;
        const admission::Directory& directory;
        scheduler::Scheduler& scheduler;
        LateStatuses& late_statuses;
        LostDevices& lost_devices;
        /// Told of each step that is to be taken, for whoever watches.
        std::function<void(const model::Device&, const connector::PairingStep&)> on_pairing_step{};
        telemetry::Log log;
    };
    explicit DeviceKeeper(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Passes every device to the scheduler and connects those that were connected before. The
    /// committer runs. Errors: of Committer::change_and_wait.
    [[nodiscard]] Result<void> start();

    /// On the committer's thread, after the directory has it.
    void follow(const store::RowChange& change);

    // connector::ConnectorEvents
    void outcome(const model::MessageId& message, model::PhoneNumber device,
                 model::Outcome outcome) override;
    void device_state(model::PhoneNumber device, model::DeviceState state, std::string reason,
                      Stored stored) override;
    void pairing(model::PhoneNumber device, connector::PairingStep step) override;
    void late_status(connector::LateStatus status, Stored stored) override;
    void inbound(connector::InboundMessage message, Stored stored) override;
    void capabilities_changed() override;

    // api::manage::DeviceControl
    [[nodiscard]] Result<void> prepare(model::Device& device) override;
    [[nodiscard]] Result<void> announce(store::Tables& tables,
                                        const model::Device& device) override;
    [[nodiscard]] Result<model::Device> connect(model::PhoneNumber number,
                                                Exported exported) override;
    [[nodiscard]] Result<model::Device> disconnect(model::PhoneNumber number) override;
    [[nodiscard]] Result<void> pair(model::PhoneNumber number, std::string method,
                                    std::optional<model::QueueChoice> queue) override;
    [[nodiscard]] Result<void> answer(model::PhoneNumber number, std::string answer) override;
    [[nodiscard]] api::manage::Pairing pairing(model::PhoneNumber number) const override;
    [[nodiscard]] Result<std::unique_ptr<Stillness>> keep_still(model::PhoneNumber number) override;

private:
    /// What one device's reports that wait to be stored may weigh (weight_of); what comes beyond is
    /// refused as busy.
    static constexpr std::size_t waiting_max = 256;

    /// Its refusal is the answer.
    using Steering = std::function<Result<void>(connector::Connector&, const model::Device&)>;
    using Change = std::move_only_function<Result<void>(store::Tables&)>;
    [[nodiscard]] Result<model::Device> steer(
        model::PhoneNumber number, const Steering& steering,
        Change first = [](store::Tables&) -> Result<void> { return {}; });
    /// Errors: conflict (it was exported, or is being moved).
    [[nodiscard]] Result<void> check_may_start(const model::Device& device) const;
    [[nodiscard]] Result<void> drop_exported_secrets(model::PhoneNumber number);
    [[nodiscard]] Result<void> store_reports(store::Tables& tables,
                                             const std::vector<StateReport>& reports);
    /// False: the device has no webhook, so nobody was told.
    [[nodiscard]] Result<bool> notify(store::Tables& tables, model::PhoneNumber number,
                                      std::string_view event, const EventData& data);
    /// What a download needs; empty: there are no media, or the connector fetches none.
    [[nodiscard]] std::optional<store::ReceivedMedia> media_of(
        const connector::InboundMessage& message) const;
    /// Runs `change`, which holds `bytes` of the report, however much waits; then calls `stored`.
    void keep(model::PhoneNumber number, std::size_t bytes,
              std::move_only_function<Result<void>(store::Tables&)> change, Stored stored);

    Rooms rooms_;
    StateReports reports_;
    PairingBoard pairings_;
    DeviceMoves moves_;
    /// A worker may say so in each of its frames: one look at all devices waits at most.
    std::atomic<bool> capabilities_waiting_ = false;
    std::mutex waiting_mutex_;
    std::unordered_map<model::PhoneNumber, std::size_t> waiting_;  // The weight of those of `keep`.
};

}  // namespace merpati::daemon
