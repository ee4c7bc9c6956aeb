// Creates what carries messages and callbacks out of a running server, and follows its devices.
#pragma once

#include <chrono>
#include <functional>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "callback/sender.hpp"
#include "campaign/open_campaigns.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "daemon/publisher.hpp"
#include "devices/connector_door.hpp"
#include "devices/keeper.hpp"
#include "devices/late_statuses.hpp"
#include "devices/lost_devices.hpp"
#include "devices/notices.hpp"
#include "devices/platform_calls.hpp"
#include "devices/restrictions.hpp"
#include "media/media_fetcher.hpp"
#include "outbound/address_policy.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: `start` before the devices are connected (AccountKeeper). Where no account is here
/// (Ownership), the rooms start empty. They stop in three steps, between which the server answers
/// the requests that wait for them.
///
/// Threads: the owner's.
struct SendingRooms {
    struct Rooms {
        const Clock& clock;
        const QueueClock& queue_clock;
        Random& random;
        UuidSource& ids;
        /// Whether sends and callbacks may begin now. Empty: always.
        std::function<bool()> may_begin;
        store::Store& store;
        store::Committer& committer;
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        const outbound::AddressPolicy& policy;
        const campaign::OpenCampaigns& open_campaigns;
        Publisher& publisher;
        /// Called for each message that ended, on the committer's thread.
        scheduler::FinishListener on_finish;
        /// Called for each message that returned to its campaign.
        std::function<void(const model::Message&)> on_withdrawn;
        const config::Settings& settings;
        telemetry::Log log;
    };
    explicit SendingRooms(Rooms given);

    /// Errors: of the rooms.
    [[nodiscard]] Result<void> start();

    /// First of all: requests that wait for a file would delay the end of the others.
    void stop_fetching() { media_fetcher.stop(); }
    /// Waits for outcomes, then for the commits of those that the connectors report at their end.
    void stop_sends(std::chrono::milliseconds patience);
    void stop_callbacks();

    const Rooms rooms;
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
