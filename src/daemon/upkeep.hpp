// Periodic work: expired waits, overdue statuses, lost devices, the clock, summaries, retention.
#pragma once

#include <chrono>

#include "api/send/outcome_waiters.hpp"
#include "base/periodic_thread.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/log_growth.hpp"
#include "daemon/sending_rooms.hpp"
#include "store/reader_pool.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation:
///   every 100 ms  answers revision B's requests whose wait has expired, decides messages without a
///                 status by `decide_by`, notifies webhooks of lost devices, ends restrictions of
///                 devices, logs how many repeated lines the log left out;
///   every second  notices that the machine's clock was set, logs it and stores the offset; warns
///                 when the store's log has become large;
///   every 5 s     summarises messages for searches;
///   every minute  begins to remove the rows that retention no longer keeps.
/// Summaries and retention work in steps, with 10 ms between them, so that other commits are not
/// held up. A step of retention ends after 10 ms. Of several nodes that share a store, one does
/// these two (Ownership::keeps_house).
///
/// Threads: one of its own.
class Upkeep {
public:
    Upkeep(CoreRooms& core, SendingRooms& sending, api::OutcomeWaiters& waiters)
        : core_(core), sending_(sending), waiters_(waiters), log_(core.log.in("upkeep")) {}

    void start();
    void stop() { thread_.stop(); }

private:
    [[nodiscard]] std::chrono::milliseconds round();
    [[nodiscard]] std::chrono::milliseconds keep_house();
    void look_at_clock();
    [[nodiscard]] bool prune_step(bool begins_round);
    [[nodiscard]] bool summarise_step();
    [[nodiscard]] Result<bool> summarise();
    void look_at_log();

    CoreRooms& core_;
    SendingRooms& sending_;
    api::OutcomeWaiters& waiters_;
    const telemetry::Log log_;
    bool offset_stored_ = true;
    bool prunes_ = false;     // The round of retention is not complete.
    bool summarises_ = true;  // Ends at damage; searches then read the rows without summaries.
    store::SummaryPlace summarised_to_;
    LogGrowth log_growth_;
    SteadyTime look_at_{};  // The next time for each task.
    SteadyTime prune_at_{};
    SteadyTime summarise_at_{};
    PeriodicThread thread_;  // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
