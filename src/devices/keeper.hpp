// Stores the reports of connectors, and passes changes of devices on to the other rooms.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/manage/devices/device_control.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "connector/connectors.hpp"
#include "devices/late_statuses.hpp"
#include "devices/lost_devices.hpp"
#include "devices/moves.hpp"
#include "devices/notices.hpp"
#include "devices/pairing_board.hpp"
#include "devices/pairing_limits.hpp"
#include "devices/report_limits.hpp"
#include "devices/restrictions.hpp"
#include "devices/state_reports.hpp"
#include "devices/status_reports.hpp"
#include "model/leave.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "store/shard_set.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Connects the connectors with the other rooms. Outcomes go to the scheduler. A device's state
/// goes to the store with its webhook notice, and from there to the other rooms. Reports come
/// through ConnectorDoor, with the device that they are about.
///
/// Operation: `follow` gets every device that was written, in the order of the commits, and passes
/// it to the scheduler, LostDevices and the connector. Connectors are asked to connect and to
/// disconnect on the same thread, so their last request matches the last commit.
///
/// Moves: only devices of accounts that this process works for (admission::Ownership) are passed
/// on, and connected.
///
/// Faults: if the process dies before a state is committed, the connector reports it again after
/// the next start. A device that was being paired is then `disconnected`, because nobody knows its
/// step any more.
///
/// Threads: any, with exceptions. `start`, `connect`, `disconnect`, `pair`, `answer` and
/// `keep_still` wait for commits, so they must not be called on the committer's thread. `follow`
/// and `announce` are called on the committer's thread only.
///
/// Limits: states: StateReports. Other reports: ReportLimits; further ones are refused as busy.
class DeviceKeeper final : public api::manage::DeviceControl {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        Notices& notices;
        const connector::Connectors& connectors;
        store::Committer& committer;
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        scheduler::Scheduler& scheduler;
        LateStatuses& late_statuses;
        LostDevices& lost_devices;
        Restrictions& restrictions;
        /// Called with each pairing step, for the event streams.
        std::function<void(const model::Device&, const connector::PairingStep&)> on_pairing_step{};
        telemetry::Log log;
    };
    explicit DeviceKeeper(Rooms rooms)
        : rooms_(std::move(rooms)),
          limits_(rooms_.clock),
          statuses_({.late_statuses = rooms_.late_statuses,
                     .ownership = rooms_.ownership,
                     .committer = rooms_.committer,
                     .limits = limits_of_reports_,
                     .log = rooms_.log}) {}

    /// Passes every device that is here (`ownership`) to the scheduler, connects those that were
    /// connected or reconnecting before, and ends pairings of the last run. The committer must be
    /// running. Errors: of Committer::change_and_wait.
    [[nodiscard]] Result<void> start();

    // Both on the committer's thread.
    /// Takes up the devices of the shards' accounts, as a start does all; `ownership` has them.
    /// Their lanes are attached with them.
    void attach(const store::ShardSet& shards);
    /// Stops these devices, and forgets what is known of them; `ownership` no longer has their
    /// accounts, so that their states stay as they are. Their lanes were detached before. Drops
    /// `done` when the connectors have reported all that they know and, unless `at_once`, write no
    /// secrets of the devices any more.
    void detach(const store::ShardSet& shards, model::Leave how, std::shared_ptr<const void> done);
    [[nodiscard]] std::vector<model::PhoneNumber> numbers_of(const store::ShardSet& shards) const;

    /// Call on the committer's thread, after the directory has applied the change.
    void follow(const store::RowChange& change);

    // As in connector::ConnectorEvents. `device` is as the reporting connector's door knows it: a
    // report is not stored (not_found) if its number belongs to another device by then.
    using Stored = connector::ConnectorEvents::Stored;
    void outcome(const model::MessageId& message, model::Outcome outcome);
    /// `until`: the end of `restricted`.
    void device_state(const model::Device& device, model::DeviceState state, std::string reason,
                      Stored stored, std::optional<Timestamp> until = {});
    void pairing(const model::Device& device, connector::PairingStep step);
    void late_status(const model::Device& device, connector::LateStatus status, Stored stored);
    void inbound(const model::Device& device, connector::InboundMessage message, Stored stored);
    void capabilities_changed();

    // api::manage::DeviceControl
    [[nodiscard]] std::vector<api::manage::ConnectorFacts> connectors() const override;
    [[nodiscard]] Result<void> prepare(model::Device& device) override;
    [[nodiscard]] Result<void> announce(store::Tables& tables,
                                        const model::Device& device) override;
    [[nodiscard]] Result<void> mark_connected(store::Tables& tables,
                                              const model::Device& device) override;
    [[nodiscard]] Result<model::Device> connect(model::PhoneNumber number,
                                                Exported exported) override;
    [[nodiscard]] Result<model::Device> disconnect(model::PhoneNumber number) override;
    [[nodiscard]] Result<void> check_pairing(model::PhoneNumber number,
                                             std::string_view method) const override;
    [[nodiscard]] std::chrono::seconds pairing_wait(model::PhoneNumber number) const override {
        const auto device = rooms_.directory.find_device(number);
        return device == nullptr ? std::chrono::seconds{} : limits_.wait_of(*device);
    }
    [[nodiscard]] Result<void> pair(model::PhoneNumber number, std::string method,
                                    std::optional<model::QueueChoice> queue) override;
    [[nodiscard]] Result<void> answer(model::PhoneNumber number, std::string answer) override;
    [[nodiscard]] api::manage::Pairing pairing(model::PhoneNumber number) const override;
    [[nodiscard]] Result<std::unique_ptr<Stillness>> keep_still(model::PhoneNumber number) override;

private:
    [[nodiscard]] std::vector<model::Device> devices_of(const store::ShardSet& shards) const;
    void take_up(const model::Device& device);

    /// An error is the answer of the call.
    using Steering = std::function<Result<void>(connector::Connector&, const model::Device&)>;
    using Change = std::move_only_function<Result<void>(store::Tables&)>;
    [[nodiscard]] Result<model::Device> steer(
        model::PhoneNumber number, const Steering& steering,
        Change first = [](store::Tables&) -> Result<void> { return {}; });
    /// Errors: conflict (it was exported, or is being moved).
    [[nodiscard]] Result<void> check_may_start(const model::Device& device) const;
    [[nodiscard]] Result<void> check_not_moved(const model::Device& device) const;
    [[nodiscard]] Result<void> drop_exported_secrets(model::PhoneNumber number);
    [[nodiscard]] Result<void> store_reports(store::Tables& tables,
                                             const std::vector<StateReport>& reports);
    /// Stores a webhook notice. False: the device is gone or has no webhook.
    [[nodiscard]] Result<bool> notify(store::Tables& tables, model::PhoneNumber number,
                                      std::string_view event, const EventData& data);
    /// What a later download needs; empty: no media, or the connector cannot fetch media.
    [[nodiscard]] std::optional<store::ReceivedMedia> media_of(
        const model::Device& device, const connector::InboundMessage& message) const;
    /// Runs `change` in a transaction if the device is still the same, then calls `stored`. `bytes`
    /// is the report's size. A device with too many waiting reports is refused as busy; a long
    /// queue of the committer does not matter.
    void keep(const model::Device& device, std::size_t bytes,
              std::move_only_function<Result<void>(store::Tables&)> change, Stored stored);

    Rooms rooms_;
    StateReports reports_;
    PairingBoard pairings_;
    PairingLimits limits_;
    ReportLimits limits_of_reports_;
    StatusReports statuses_;
    DeviceMoves moves_;
    /// A worker may report changed capabilities with every frame; at most one pass over all devices
    /// is queued.
    std::atomic<bool> capabilities_waiting_ = false;
};

}  // namespace merpati::devices
