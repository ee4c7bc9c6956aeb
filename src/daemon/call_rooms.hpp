// Creates what answers the API in a running server: published operations and the catalogue.
#pragma once

#include <functional>
#include <string>
#include <vector>

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
#include "base/error.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/controls.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/sending_rooms.hpp"
#include "daemon/sign_in.hpp"
#include "intake/intake.hpp"

namespace merpati::daemon {

/// Threads: the owner's.
struct CallRooms {
    struct Hooks {
        /// For ends of messages that do not pass through the scheduler.
        scheduler::FinishListener on_finish;
        /// Returns the addresses that the server listens on, for links.
        std::function<std::vector<std::string>()> listening;
        /// Waits until all other nodes follow a change of the directory. Empty: there are none.
        std::function<void()> wait_for_others{};
    };
    CallRooms(CoreRooms& core_rooms, SendingRooms& sending_rooms, CampaignRooms& campaign_rooms,
              intake::Intake& intake, Hooks given);

    void start();
    void stop();

    CoreRooms& core;
    SendingRooms& sending;
    CampaignRooms& campaigns;
    const Hooks hooks;
    api::IdempotencyLedger ledger;
    api::Idempotency idempotency;
    api::Authenticator authenticator;
    api::Callers callers;
    api::OutcomeWaiters waiters;
    api::Send send;
    api::Bulk bulk;
    api::DeviceAddnew device_addnew;
    RunningMessages messages;
    RunningCallbacks callbacks;
    people::SignIn sign_in;
    const api::manage::PeopleRooms people_rooms;
    api::manage::Manage manage;
    api::manage::Service management;

private:
    [[nodiscard]] api::manage::Context context();
    [[nodiscard]] Result<void> change(
        std::move_only_function<Result<void>(store::Tables&)> run) const;
    void join();
};

}  // namespace merpati::daemon
