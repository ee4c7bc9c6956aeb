// Creates what carries messages and callbacks out of a running server, and follows its devices.
#pragma once

#include <chrono>
#include <functional>

#include "base/error.hpp"
#include "callback/sender.hpp"
#include "connector/connectors.hpp"
#include "daemon/core_rooms.hpp"
#include "devices/connector_door.hpp"
#include "devices/keeper.hpp"
#include "devices/late_statuses.hpp"
#include "devices/lost_devices.hpp"
#include "devices/notices.hpp"
#include "devices/platform_calls.hpp"
#include "devices/restrictions.hpp"
#include "media/media_fetcher.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::daemon {

/// Operation: `start` before the devices are connected (AccountKeeper). Where no account is here
/// (Ownership), the rooms start empty. They stop in three steps, between which the server answers
/// the requests that wait for them.
///
/// Threads: the owner's.
struct SendingRooms {
    /// Both are called on the committer's thread.
    struct Listeners {
        scheduler::FinishListener on_finish;  // Of each message that ended.
        /// Of each message that returned to its campaign.
        std::function<void(const model::Message&)> on_withdrawn;
    };
    SendingRooms(CoreRooms& core_rooms, Listeners given);

    /// Errors: of the rooms.
    [[nodiscard]] Result<void> start();

    /// First of all: requests that wait for a file would delay the end of the others.
    void stop_fetching() { media_fetcher.stop(); }
    /// Waits for outcomes, then for the commits of those that the connectors report at their end.
    void stop_sends(std::chrono::milliseconds patience);
    void stop_callbacks();

    CoreRooms& core;
    const Listeners listeners;
    devices::Notices notices;
    media::MediaFetcher media_fetcher;
    connector::Connectors connectors;
    callback::Sender callbacks;
    scheduler::Scheduler scheduler;
    devices::LateStatuses late_statuses;
    devices::LostDevices lost_devices;
    devices::Restrictions restrictions;
    devices::DeviceKeeper keeper;
    devices::ConnectorDoors doors;
    devices::PlatformCalls platform_calls;

private:
    [[nodiscard]] callback::Options options_of_callbacks();
    [[nodiscard]] scheduler::Options options_of_scheduler();
};

}  // namespace merpati::daemon
