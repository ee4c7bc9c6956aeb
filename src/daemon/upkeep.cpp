#include "daemon/upkeep.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto tick = 100ms;
constexpr auto look_at_clock_every = 1s;
constexpr auto prune_every = 60s;
constexpr auto summarise_every = 5s;

/// Platforms repeat a report for a week at most.
constexpr auto platform_events_kept = std::chrono::days{8};

/// How long a retention step shall hold up other commits, and the pause before the next step.
constexpr auto step_time = 10ms;
constexpr std::size_t step_rows_min = 100;
constexpr std::size_t step_rows_max = 50'000;

}  // namespace

void Upkeep::start() {
    look_at_ = prune_at_ = summarise_at_ = clock_.steady_now();
    thread_.start("upkeep", tick, [this] { return round(); });
}

/// Returns the pause before the next round.
std::chrono::milliseconds Upkeep::round() {
    waiters_.expire(clock_.steady_now());
    late_statuses_.decide();
    lost_devices_.notify();
    log_.tell_left_out();
    if (clock_.steady_now() >= look_at_) {
        look_at_ = clock_.steady_now() + look_at_clock_every;
        look_at_clock();
    }
    std::chrono::milliseconds pause = tick;
    if (clock_.steady_now() >= prune_at_) {
        if (prune_step()) {
            pause = step_time;
        } else {
            prune_at_ = clock_.steady_now() + prune_every;
        }
    }
    if (summarises_ && clock_.steady_now() >= summarise_at_) {
        if (summarise_step()) {
            pause = step_time;
        } else {
            summarise_at_ = clock_.steady_now() + summarise_every;
        }
    }
    return pause;
}

void Upkeep::look_at_clock() {
    if (const auto set_by = clock_.notice_step()) {
        const std::chrono::duration<double> seconds = *set_by;
        log_.warn("the machine's clock was set; delays go on by elapsed time",
                  {{"by", fmt::format("{:+.3f} s", seconds.count())}});
        offset_stored_ = false;
    }
    if (offset_stored_) {
        return;
    }
    const auto stored = committer_.change_and_wait(
        [this](store::Tables& tables) { return tables.set_clock_offset(clock_.offset()); });
    offset_stored_ = stored.has_value();
    if (!stored) {
        log_.warn("the clock's offset could not be stored: a restart may delay what waits",
                  {{"why", stored.error().detail}});
    }
}

/// Returns true if there may be more rows to remove.
bool Upkeep::prune_step() {
    store::PruneStep done;
    SteadyTime began;
    SteadyTime ended;
    const auto now = clock_.now();
    const auto wall_now = clock_.wall_now();
    const store::PruneLimits limits{.messages_before = now - options_.finished_kept,
                                    .idempotency_before = now - options_.idempotency_kept,
                                    .platform_events_before = now - platform_events_kept,
                                    .received_media_before = now - options_.received_media_kept,
                                    .sessions_seen_before = wall_now - options_.sessions.idle,
                                    .sessions_begun_before = wall_now - options_.sessions.longest,
                                    .links_expired_before = wall_now,
                                    .audit_before = wall_now - options_.log_kept,
                                    .clock_offset = clock_.offset(),
                                    .rows_max = step_rows_};
    const auto pruned = committer_.change_and_wait([&](store::Tables& tables) -> Result<void> {
        began = clock_.steady_now();
        auto step = tables.prune(limits);
        ended = clock_.steady_now();
        if (!step) {
            return pass(step);
        }
        done = *step;
        return {};
    });
    if (!pruned) {
        log_.warn("retention could not remove old rows", {{"why", pruned.error().detail}});
        return false;
    }
    if (done.removed > 0) {
        fit_step(ended - began);
    }
    return done.removed > 0 || !done.complete;
}

/// Returns true if there may be more messages to summarise.
bool Upkeep::summarise_step() {
    std::size_t read = 0;
    const auto summarised = committer_.change_and_wait([&](store::Tables& tables) -> Result<void> {
        auto step = tables.summarise(store::Tables::block_size);
        if (!step) {
            return pass(step);
        }
        read = *step;
        return {};
    });
    if (!summarised) {
        log_.warn("messages could not be summarised for searches",
                  {{"why", summarised.error().detail}});
        summarises_ = summarised.error().code != ErrorCode::damaged;
        return false;
    }
    return read > 0;
}

/// Sets the size of the next step to what this one would have removed in `step_time`, at most twice
/// as much.
void Upkeep::fit_step(std::chrono::nanoseconds took) {
    const std::chrono::duration<double> whole{step_time};
    const auto share = std::min(2.0, whole / std::chrono::duration<double>{took + 1us});
    step_rows_ = std::clamp(static_cast<std::size_t>(static_cast<double>(step_rows_) * share),
                            step_rows_min, step_rows_max);
}

}  // namespace merpati::daemon
