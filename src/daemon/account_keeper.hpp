// Attaches and detaches accounts: all at the start, those of some shards when these move.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "api/send/outcome_waiters.hpp"
#include "base/error.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/sending_rooms.hpp"
#include "model/leave.hpp"
#include "store/nodes.hpp"
#include "store/shard_set.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// The order in which the rooms begin and end to work for accounts.
///
/// Operation: `load` and `start` attach all accounts that are here (Ownership) when the process
/// starts: all of a process that is alone, none of one that shares them. `attach` and `detach` move
/// those of some shards, and each room does the same for them. What is submitted for a detached
/// account waits in the store; so do the results of what a `Leave::at_once` interrupted, which its
/// next owner treats as after a crash.
///
/// Detaching: first the accounts are `leaving`. Nothing is begun for them any more, but questions
/// are answered, and messages are taken, which wait in the store. When all that was begun has
/// ended, they are `elsewhere`; then the devices are disconnected, and streams and waiting requests
/// end.
///
/// Cost: an attach is one commit, and a few queries for all of its accounts together; messages and
/// callbacks themselves are read when they are due.
///
/// Threads: `follow` on the committer's. `attach` and `detach` wait, on any thread but those of the
/// rooms, one at a time. `stop` on any.
///
/// Limits: `detach` waits for sends and their outcomes for `settled_within`. Then it goes on as
/// `at_once`.
class AccountKeeper {
public:
    /// `catch_up`: waits until the directory has applied what other nodes have committed before.
    AccountKeeper(CoreRooms& core, SendingRooms& sending, CampaignRooms& campaigns,
                  api::OutcomeWaiters& waiters, std::function<Result<void>()> catch_up)
        : core_(core),
          sending_(sending),
          campaigns_(campaigns),
          waiters_(waiters),
          catch_up_(std::move(catch_up)),
          log_(core.log.in("node")) {}

    static constexpr std::chrono::seconds settled_within{30};
    /// How long connectors and callbacks may need: longer than either waits for the outside.
    static constexpr std::chrono::seconds closed_within{65};

    /// Loads the copies of the store that other rooms decide by. Errors: store_failed, damaged.
    [[nodiscard]] Result<void> load();
    /// Connects the devices, and begins to decide messages that were handed over. The scheduler has
    /// started. Errors: as DeviceKeeper::start.
    [[nodiscard]] Result<void> start();

    /// Attaches the accounts of shards that were detached, or never attached. When it returns, the
    /// process works for them. Errors: store_failed, damaged, unavailable (it works for none of
    /// them), shutting_down.
    [[nodiscard]] Result<void> attach(std::span<const store::Shard> shards);
    /// When it returns, nothing of these accounts is written any more. Errors: shutting_down.
    [[nodiscard]] Result<void> detach(std::span<const store::Shard> shards, model::Leave how);
    /// Ends the waits of an attach or detach that runs, with shutting_down. The rooms stop next.
    void stop() { stopping_ = true; }

    /// Passes a committed row to the rooms that work for its account. The directory has applied it.
    void follow(const store::RowChange& change);

private:
    class Wait;

    [[nodiscard]] Result<void> take_in(const store::ShardSet& shards);
    [[nodiscard]] Result<void> run_between_commits(std::move_only_function<Result<void>()> run);
    [[nodiscard]] Result<void> stop_work(const store::ShardSet& shards);
    [[nodiscard]] Result<void> let_go(const store::ShardSet& shards, model::Leave how);
    [[nodiscard]] std::vector<model::AccountId> accounts_of(const store::ShardSet& shards) const;

    CoreRooms& core_;
    SendingRooms& sending_;
    CampaignRooms& campaigns_;
    api::OutcomeWaiters& waiters_;
    const std::function<Result<void>()> catch_up_;
    const telemetry::Log log_;
    std::atomic<bool> stopping_{false};
};

}  // namespace merpati::daemon
