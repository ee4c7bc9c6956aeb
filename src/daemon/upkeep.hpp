// Periodic work: expired waits, overdue statuses, lost devices, the clock, summaries, retention.
#pragma once

#include <chrono>

#include "admission/ownership.hpp"
#include "api/send/outcome_waiters.hpp"
#include "base/periodic_thread.hpp"
#include "base/queue_clock.hpp"
#include "config/settings.hpp"
#include "daemon/log_growth.hpp"
#include "devices/late_statuses.hpp"
#include "devices/lost_devices.hpp"
#include "devices/restrictions.hpp"
#include "model/store_url.hpp"
#include "people/people_directory.hpp"
#include "store/committer.hpp"
#include "store/condition.hpp"
#include "store/reader_pool.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

struct UpkeepOptions {
    std::chrono::seconds finished_kept{std::chrono::days{30}};
    std::chrono::seconds idempotency_kept{std::chrono::hours{24}};
    std::chrono::seconds log_kept{std::chrono::days{365}};
    std::chrono::seconds received_media_kept{std::chrono::days{14}};
    std::chrono::seconds platform_reports_kept{std::chrono::days{8}};
    std::chrono::seconds keys_kept{std::chrono::days{90}};
    std::chrono::seconds usage_kept{std::chrono::days{1'095}};
    std::chrono::seconds ledger_kept{std::chrono::days{3'650}};
    people::SessionLimits sessions{};
    bool stores_clock_offset = true;  // False: queue time follows the database's clock.

    [[nodiscard]] static UpkeepOptions of(const config::Settings& settings) {
        return {
            .finished_kept = settings.retention.finished,
            .idempotency_kept = settings.retention.idempotency,
            .log_kept = settings.retention.log,
            .received_media_kept = settings.retention.received_media,
            .platform_reports_kept = settings.retention.platform_reports,
            .keys_kept = settings.retention.keys,
            .usage_kept = settings.retention.usage,
            .ledger_kept = settings.retention.ledger,
            .sessions = {.idle = settings.app.session_idle, .longest = settings.app.session_max},
            .stores_clock_offset = !model::is_postgresql(settings.store.url)};
    }
};

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
    Upkeep(QueueClock& clock, const store::Condition& condition, store::ReaderPool& readers,
           store::Committer& committer, const admission::Ownership& ownership,
           api::OutcomeWaiters& waiters, devices::LateStatuses& late_statuses,
           devices::LostDevices& lost_devices, devices::Restrictions& restrictions,
           UpkeepOptions options, telemetry::Log log)
        : clock_(clock),
          condition_(condition),
          readers_(readers),
          committer_(committer),
          ownership_(ownership),
          waiters_(waiters),
          late_statuses_(late_statuses),
          lost_devices_(lost_devices),
          restrictions_(restrictions),
          options_(options),
          log_(std::move(log)) {}

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

    QueueClock& clock_;
    const store::Condition& condition_;
    store::ReaderPool& readers_;
    store::Committer& committer_;
    const admission::Ownership& ownership_;
    api::OutcomeWaiters& waiters_;
    devices::LateStatuses& late_statuses_;
    devices::LostDevices& lost_devices_;
    devices::Restrictions& restrictions_;
    const UpkeepOptions options_;
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
