#include "daemon/upkeep.hpp"

#include <fmt/format.h>

#include "model/store_url.hpp"

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
    look_at_ = prune_at_ = summarise_at_ = core_.queue_clock.steady_now();
    thread_.start("upkeep", tick, [this] { return round(); });
}

/// Returns the pause before the next round.
std::chrono::milliseconds Upkeep::round() {
    waiters_.expire(core_.queue_clock.steady_now());
    sending_.late_statuses.decide();
    sending_.lost_devices.notify();
    sending_.restrictions.end();
    log_.tell_left_out();
    if (core_.queue_clock.steady_now() >= look_at_) {
        look_at_ = core_.queue_clock.steady_now() + look_at_clock_every;
        look_at_clock();
        look_at_log();
    }
    return core_.ownership.keeps_house() ? keep_house() : tick;
}

/// What is done once for all accounts. Returns the pause before the next round.
std::chrono::milliseconds Upkeep::keep_house() {
    std::chrono::milliseconds pause = tick;
    const bool begins_round = core_.queue_clock.steady_now() >= prune_at_;
    if (begins_round) {
        prune_at_ = core_.queue_clock.steady_now() + prune_every;
    }
    if (begins_round || prunes_) {
        prunes_ = prune_step(begins_round);
        pause = prunes_ ? step_time : pause;
    }
    if (summarises_ && core_.queue_clock.steady_now() >= summarise_at_) {
        if (summarise_step()) {
            pause = step_time;
        } else {
            summarise_at_ = core_.queue_clock.steady_now() + summarise_every;
        }
    }
    return pause;
}

void Upkeep::look_at_clock() {
    if (const auto set_by = core_.queue_clock.notice_step()) {
        const std::chrono::duration<double> seconds = *set_by;
        log_.warn("the machine's clock was set; delays go on by elapsed time",
                  {{"by", fmt::format("{:+.3f} s", seconds.count())}});
        offset_stored_ = model::is_postgresql(core_.settings.store.url);
    }
    if (offset_stored_) {
        return;
    }
    const auto stored = core_.committer.change_and_wait([this](store::Tables& tables) {
        return tables.set_clock_offset(core_.queue_clock.offset());
    });
    offset_stored_ = stored.has_value();
    if (!stored) {
        log_.warn("the clock's offset could not be stored: a restart may delay what waits",
                  {{"why", stored.error().detail}});
    }
}

/// Returns true if there may be more rows to remove.
bool Upkeep::prune_step(bool begins_round) {
    const auto now = core_.queue_clock.now();
    const auto wall_now = core_.queue_clock.wall_now();
    const auto& kept = core_.settings.retention;
    store::PruneLimits limits{.messages_before = now - kept.finished,
                              .idempotency_before = now - kept.idempotency,
                              .platform_events_before = now - kept.platform_reports,
                              .received_media_before = now - kept.received_media,
                              .sessions_seen_before = wall_now - core_.settings.app.session_idle,
                              .sessions_begun_before = wall_now - core_.settings.app.session_max,
                              .links_expired_before = wall_now,
                              .audit_before = wall_now - kept.log,
                              .keys_before = wall_now - kept.keys,
                              .usage_before = wall_now - kept.usage,
                              .ledger_before = wall_now - kept.ledger,
                              .clock_offset = core_.queue_clock.offset(),
                              .begins_round = begins_round};
    store::PruneStep done;
    const auto pruned = core_.committer.change_and_wait([&](store::Tables& tables) -> Result<void> {
        limits.is_over = [this, end = core_.queue_clock.steady_now() + step_time] {
            return core_.queue_clock.steady_now() >= end;
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
    const auto begun = core_.committer.change_and_wait(
        [](store::Tables& tables) { return tables.begin_summary(); });
    if (!begun) {
        return pass(begun);
    }
    const auto step = core_.readers.read([this](store::Reader& reader) {
        return reader.summarise(store::Tables::summary_size,
                                core_.queue_clock.now() - summarise_every, summarised_to_);
    });
    if (!step || step->summary == nullptr) {
        return step ? Result<bool>{step->read > 0} : pass(step);
    }
    const auto stored = core_.committer.change_and_wait([&](store::Tables& tables) -> Result<void> {
        const auto put = tables.put_summary(*step->summary);
        return put ? Result<void>{} : pass(put);
    });
    return stored ? Result<bool>{true} : pass(stored);
}

void Upkeep::look_at_log() {
    const auto bytes = core_.store.condition().log_bytes();
    if (log_growth_.is_news(bytes)) {
        log_.warn(
            "the store's log grows: something reads the store for long, such as a backup or "
            "a shell; the log shrinks once that ends",
            {{"mib", std::to_string(bytes >> 20)}});
    }
}

}  // namespace merpati::daemon
