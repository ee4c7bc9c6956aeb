// Attaches and detaches accounts: all at the start, single ones when they move.
#pragma once

#include <chrono>
#include <functional>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/events/event_hub.hpp"
#include "api/send/outcome_waiters.hpp"
#include "base/error.hpp"
#include "callback/sender.hpp"
#include "campaign/open_campaigns.hpp"
#include "daemon/campaign_rooms.hpp"
#include "devices/keeper.hpp"
#include "devices/late_statuses.hpp"
#include "model/leave.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"

namespace merpati::daemon {

/// The order in which the rooms begin and end to work for accounts.
///
/// Operation: `load` and `start` attach all accounts, when the process starts; `attach` and
/// `detach` move one, and each room does the same for it. What is submitted for a detached account
/// waits in the store; so do the results of what a `Leave::at_once` interrupted, which its next
/// owner treats as after a crash.
///
/// Threads: `follow` on the committer's. `attach` and `detach` wait, on any thread but those of the
/// rooms, one at a time for each account.
///
/// Limits: `detach` waits for sends and their outcomes for `settled_within`. Then it goes on as
/// `at_once`. Handed-over messages of all accounts are decided by this process, and so are removed
/// rows of campaigns: these are not in memory.
class AccountKeeper {
public:
    struct Rooms {
        store::ReaderPool& readers;
        store::Committer& committer;
        admission::Directory& directory;
        admission::Ownership& ownership;
        campaign::OpenCampaigns& open_campaigns;
        CampaignRooms& campaigns;
        scheduler::Scheduler& scheduler;
        devices::DeviceKeeper& devices;
        devices::LateStatuses& late_statuses;
        callback::Sender& sender;
        api::OutcomeWaiters& waiters;
        api::EventHub& events;
    };
    explicit AccountKeeper(Rooms rooms) : rooms_(rooms) {}

    static constexpr std::chrono::seconds settled_within{30};
    /// How long connectors and callbacks may need: longer than either waits for the outside.
    static constexpr std::chrono::seconds closed_within{65};

    /// Loads the copies of the store that other rooms decide by. Errors: store_failed, damaged.
    [[nodiscard]] Result<void> load();
    /// Connects the devices, and begins to decide messages that were handed over. The scheduler has
    /// started. Errors: as DeviceKeeper::start.
    [[nodiscard]] Result<void> start();

    /// Attaches an account that was detached. Errors: store_failed, damaged (it was detached
    /// again), shutting_down.
    [[nodiscard]] Result<void> attach(model::AccountId account);
    /// Errors: shutting_down.
    [[nodiscard]] Result<void> detach(model::AccountId account, model::Leave how);

    /// Passes a committed row to the rooms that work for its account. The directory has applied it.
    void follow(const store::RowChange& change);

private:
    [[nodiscard]] Result<void> run_between_commits(std::move_only_function<Result<void>()> run);
    [[nodiscard]] Result<void> stop_work(model::AccountId account, model::Leave how);
    [[nodiscard]] Result<void> let_go(model::AccountId account, model::Leave how);

    const Rooms rooms_;
};

}  // namespace merpati::daemon
