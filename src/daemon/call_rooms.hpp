// Creates what answers the API in a running server: published operations and the catalogue.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/authenticator.hpp"
#include "api/callers.hpp"
#include "api/device_addnew.hpp"
#include "api/idempotency.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/manage/engine/service.hpp"
#include "api/send/bulk.hpp"
#include "api/send/outcome_waiters.hpp"
#include "api/send/send.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "config/settings.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/controls.hpp"
#include "daemon/sending_rooms.hpp"
#include "daemon/sign_in.hpp"
#include "daemon/tally.hpp"
#include "intake/intake.hpp"
#include "outbound/address_policy.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Threads: the owner's.
struct CallRooms {
    struct Rooms {
        const Clock& clock;
        const QueueClock& queue_clock;
        Random& random;
        UuidSource& ids;
        store::Store& store;
        store::ReaderPool& readers;
        store::Committer& committer;
        api::IdempotencyLedger& ledger;
        const admission::Directory& directory;
        const admission::CallerRights& rights;
        const admission::Ownership& ownership;
        const outbound::AddressPolicy& policy;
        intake::Intake& intake;
        Tally& tally;
        SendingRooms& sending;
        CampaignRooms& campaigns;
        /// For ends of messages that do not pass through the scheduler.
        scheduler::FinishListener on_finish;
        /// The addresses that the server listens on, for links.
        std::function<std::vector<std::string>()> listening;
        /// Waits until all other nodes follow a change of the directory. Empty: there are none.
        std::function<void()> wait_for_others{};
        const config::Settings& settings;
        telemetry::Log log;
    };
    explicit CallRooms(Rooms given);

    void start();
    void stop();

    const Rooms rooms;
    api::Idempotency idempotency;
    api::Authenticator authenticator;
    api::Callers callers;
    api::OutcomeWaiters waiters;
    api::Send send;
    api::Bulk bulk;
    api::DeviceAddnew device_addnew;
    RunningMessages messages;
    RunningCallbacks callbacks;
    SignIn sign_in;
    api::manage::Manage manage;
    api::manage::Service management;

private:
    [[nodiscard]] api::manage::Context context();
    [[nodiscard]] Result<void> change(
        std::move_only_function<Result<void>(store::Tables&)> run) const;
    void join();
};

}  // namespace merpati::daemon
