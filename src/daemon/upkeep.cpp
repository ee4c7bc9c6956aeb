#include "daemon/upkeep.hpp"

#include "base/thread.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto tick = 100ms;
constexpr auto prune_every = 60s;

}  // namespace

void Upkeep::start() {
    thread_ = start_thread("upkeep", [this] { run(); });
}

void Upkeep::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Upkeep::run() {
    auto prune_at = clock_.steady_now();
    std::unique_lock lock{mutex_};
    while (!stopped_.wait_for(lock, tick, [this] { return stopping_; })) {
        lock.unlock();
        waiters_.expire(clock_.steady_now());
        log_.tell_left_out();
        if (clock_.steady_now() >= prune_at && !prune_step()) {
            prune_at = clock_.steady_now() + prune_every;
        }
        lock.lock();
    }
}

/// True when there may be more to remove; the next tick goes on.
bool Upkeep::prune_step() {
    std::size_t removed = 0;
    const auto now = clock_.now();
    const store::PruneLimits limits{.messages_before = now - options_.finished_kept,
                                    .idempotency_before = now - options_.idempotency_kept};
    const auto pruned = committer_.change_and_wait([&](store::Tables& tables) -> Result<void> {
        auto step = tables.prune(limits);
        if (!step) {
            return pass(step);
        }
        removed = *step;
        return {};
    });
    if (!pruned) {
        log_.warn("retention could not remove old rows", {{"why", pruned.error().detail}});
        return false;
    }
    return removed > 0;
}

}  // namespace merpati::daemon
