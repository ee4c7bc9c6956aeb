// Periodic work: expired waits, overdue statuses, lost devices, the clock, summaries, retention.
#pragma once

#include <chrono>

#include "admission/people_directory.hpp"
#include "api/send/outcome_waiters.hpp"
#include "base/periodic_thread.hpp"
#include "base/queue_clock.hpp"
#include "config/settings.hpp"
#include "daemon/late_statuses.hpp"
#include "daemon/lost_devices.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

struct UpkeepOptions {
    std::chrono::seconds finished_kept{std::chrono::days{30}};
    std::chrono::seconds idempotency_kept{std::chrono::hours{24}};
    std::chrono::seconds log_kept{std::chrono::days{365}};
    std::chrono::seconds received_media_kept{std::chrono::days{14}};
    admission::SessionLimits sessions{};

    [[nodiscard]] static UpkeepOptions of(const config::Settings& settings) {
        return {
            .finished_kept = settings.retention.finished,
            .idempotency_kept = settings.retention.idempotency,
            .log_kept = settings.retention.log,
            .received_media_kept = settings.retention.received_media,
            .sessions = {.idle = settings.app.session_idle, .longest = settings.app.session_max}};
    }
};

/// Operation:
///   every 100 ms  answers revision B's requests whose wait has expired, ends messages without a
///                 status by `decide_by`, notifies webhooks of lost devices, logs how many repeated
///                 lines the log left out;
///   every second  notices that the machine's clock was set, logs it and stores the offset;
///   every 5 s     summarises messages for searches;
///   every minute  removes the rows that retention no longer keeps.
/// Summaries and retention work in steps, with 10 ms between them, so that other commits are not
/// held up. The size of a retention step is adapted so that it takes about 10 ms.
///
/// Threads: one of its own.
class Upkeep {
public:
    Upkeep(QueueClock& clock, store::Committer& committer, api::OutcomeWaiters& waiters,
           LateStatuses& late_statuses, LostDevices& lost_devices, UpkeepOptions options,
           telemetry::Log log)
        : clock_(clock),
          committer_(committer),
          waiters_(waiters),
          late_statuses_(late_statuses),
          lost_devices_(lost_devices),
          options_(options),
          log_(std::move(log)) {}

    void start();
    void stop() { thread_.stop(); }

private:
    [[nodiscard]] std::chrono::milliseconds round();
    void look_at_clock();
    [[nodiscard]] bool prune_step();
    [[nodiscard]] bool summarise_step();
    void fit_step(std::chrono::nanoseconds took);

    QueueClock& clock_;
    store::Committer& committer_;
    api::OutcomeWaiters& waiters_;
    LateStatuses& late_statuses_;
    LostDevices& lost_devices_;
    const UpkeepOptions options_;
    const telemetry::Log log_;
    std::size_t step_rows_ = store::PruneLimits{}.rows_max;
    bool offset_stored_ = true;
    bool summarises_ = true;  // Ends at damage; searches then read the rows without summaries.
    SteadyTime look_at_{};    // The next time for each task.
    SteadyTime prune_at_{};
    SteadyTime summarise_at_{};
    PeriodicThread thread_;  // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
