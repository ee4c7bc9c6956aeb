#include "daemon/upkeep.hpp"

#include <fmt/format.h>

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto tick = 100ms;
constexpr auto look_at_clock_every = 1s;
constexpr auto prune_every = 60s;
constexpr auto summarise_every = 5s;

/// How long a retention step may delay other commits, and the pause before the next step.
constexpr auto step_time = 10ms;

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
    restrictions_.end();
    log_.tell_left_out();
    if (clock_.steady_now() >= look_at_) {
        look_at_ = clock_.steady_now() + look_at_clock_every;
        look_at_clock();
        look_at_log();
    }
    return ownership_.keeps_house() ? keep_house() : tick;
}

/// What is done once for all accounts. Returns the pause before the next round.
std::chrono::milliseconds Upkeep::keep_house() {
    std::chrono::milliseconds pause = tick;
    const bool begins_round = clock_.steady_now() >= prune_at_;
    if (begins_round) {
        prune_at_ = clock_.steady_now() + prune_every;
    }
    if (begins_round || prunes_) {
        prunes_ = prune_step(begins_round);
        pause = prunes_ ? step_time : pause;
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
        offset_stored_ = !options_.stores_clock_offset;
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
bool Upkeep::prune_step(bool begins_round) {
    const auto now = clock_.now();
    const auto wall_now = clock_.wall_now();
    store::PruneLimits limits{.messages_before = now - options_.finished_kept,
                              .idempotency_before = now - options_.idempotency_kept,
                              .platform_events_before = now - options_.platform_reports_kept,
                              .received_media_before = now - options_.received_media_kept,
                              .sessions_seen_before = wall_now - options_.sessions.idle,
                              .sessions_begun_before = wall_now - options_.sessions.longest,
                              .links_expired_before = wall_now,
                              .audit_before = wall_now - options_.log_kept,
                              .keys_before = wall_now - options_.keys_kept,
                              .usage_before = wall_now - options_.usage_kept,
                              .ledger_before = wall_now - options_.ledger_kept,
                              .clock_offset = clock_.offset(),
                              .begins_round = begins_round};
    store::PruneStep done;
    const auto pruned = committer_.change_and_wait([&](store::Tables& tables) -> Result<void> {
        limits.is_over = [this, end = clock_.steady_now() + step_time] {
            return clock_.steady_now() >= end;
        };
        auto step = tables.prune(limits);
        if (!step) {
            return pass(step);
        }
        done = *step;
        return {};
    });
    if (!pruned) {
        log_.warn("retention could not remove old rows", {{"why", pruned.error().detail}});
        // Damage concerns one table, which the next step leaves out.
        return pruned.error().code == ErrorCode::damaged;
    }
    return !done.complete;
}

/// Returns true if there may be more messages to summarise.
bool Upkeep::summarise_step() {
    const auto summarised = summarise();
    if (!summarised) {
        log_.warn("messages could not be summarised for searches",
                  {{"why", summarised.error().detail}});
        summarises_ = summarised.error().code != ErrorCode::damaged;
        return false;
    }
    return *summarised;
}

/// A reader does the work, between two short commits.
Result<bool> Upkeep::summarise() {
    const auto begun =
        committer_.change_and_wait([](store::Tables& tables) { return tables.begin_summary(); });
    if (!begun) {
        return pass(begun);
    }
    const auto step = readers_.read([this](store::Reader& reader) {
        return reader.summarise(store::Tables::summary_size, clock_.now() - summarise_every,
                                summarised_to_);
    });
    if (!step || step->summary == nullptr) {
        return step ? Result<bool>{step->read > 0} : pass(step);
    }
    const auto stored = committer_.change_and_wait([&](store::Tables& tables) -> Result<void> {
        const auto put = tables.put_summary(*step->summary);
        return put ? Result<void>{} : pass(put);
    });
    return stored ? Result<bool>{true} : pass(stored);
}

void Upkeep::look_at_log() {
    const auto bytes = condition_.log_bytes();
    if (log_growth_.is_news(bytes)) {
        log_.warn(
            "the store's log grows: something reads the store for long, such as a backup or "
            "a shell; the log shrinks once that ends",
            {{"mib", std::to_string(bytes >> 20)}});
    }
}

}  // namespace merpati::daemon
