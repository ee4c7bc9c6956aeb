#include "daemon/foreign_rows.hpp"

#include <algorithm>
#include <condition_variable>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <variant>

namespace merpati::daemon {
namespace {

/// How many rows are read between two commits, which wait meanwhile.
constexpr std::size_t rows_at_once = 512;

}  // namespace

/// What the thread has asked the committer's thread to read. Outlives this object if the committer
/// answers after `stop`.
struct ForeignRows::Reading {
    std::mutex mutex;
    std::condition_variable changed;
    ForeignRows* owner = nullptr;  // Null: nobody waits any more.
    std::optional<Result<void>> done;
};

ForeignRows::ForeignRows(Rooms rooms)
    : rooms_(std::move(rooms)), reading_(std::make_shared<Reading>()) {
    reading_->owner = this;
}

Result<void> ForeignRows::begin() {
    const auto begun = rooms_.journal.changed_rows();
    return begun ? Result<void>{} : pass(begun);
}

void ForeignRows::start() {
    thread_.start("foreign-rows", read_every, [this]() -> PeriodicThread::Pause {
        return round() ? PeriodicThread::Pause{read_every} : std::nullopt;
    });
}

void ForeignRows::stop() {
    {
        const std::lock_guard lock{reading_->mutex};
        reading_->owner = nullptr;
    }
    reading_->changed.notify_all();
    thread_.stop();
}

Result<void> ForeignRows::catch_up() {
    const std::lock_guard lock{following_};
    return follow();
}

/// False: there is no use in another one.
bool ForeignRows::round() {
    const auto followed = catch_up();
    if (followed) {
        logged_.clear();
    } else if (followed.error().code == ErrorCode::fenced) {
        rooms_.on_fenced(followed.error());
        return false;
    } else {
        log_trouble(followed.error());
    }
    return true;
}

/// Rows that could not be read are read again in the next round.
Result<void> ForeignRows::follow() {
    auto changed = rooms_.journal.changed_rows();
    if (!changed) {
        return pass(changed);
    }
    const bool is_news = !changed->empty() || !left_.empty();
    left_.insert(left_.end(), changed->begin(), changed->end());
    while (!left_.empty()) {
        if (auto read = read_between_commits(); !read) {
            return read;
        }
        const auto count = std::min(left_.size(), rows_at_once);
        left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return is_news ? rooms_.journal.note_followed() : Result<void>{};
}

/// Reads the first rows of `left_` on the committer's thread, which passes them on. Errors:
/// shutting_down, and those of Reader.
Result<void> ForeignRows::read_between_commits() {
    std::unique_lock lock{reading_->mutex};
    reading_->done.reset();
    lock.unlock();
    // A place among the commits: rows of this node's own commits were passed on before. While the
    // database is away, or does not say what became of a commit, it is refused.
    const bool taken = rooms_.committer.change(
        [](store::Tables&) -> Result<void> { return {}; },
        [reading = reading_](Result<void> committed) {
            const std::lock_guard held{reading->mutex};
            if (reading->owner != nullptr) {
                reading->done = committed ? reading->owner->pass_on_rows() : std::move(committed);
                reading->changed.notify_all();
            }
        });
    if (!taken) {
        return fail(ErrorCode::busy, "the store takes no more work just now");
    }
    lock.lock();
    reading_->changed.wait(lock, [this] { return reading_->owner == nullptr || reading_->done; });
    return reading_->done ? std::move(*reading_->done)
                          : fail(ErrorCode::shutting_down, "the process stops");
}

/// On the committer's thread, while the other one waits.
Result<void> ForeignRows::pass_on_rows() {
    const auto count = std::min(left_.size(), rows_at_once);
    const auto rows = std::span{left_}.first(count);
    auto now = rooms_.readers.read([&](store::Reader& reader) { return reader.rows_now(rows); });
    if (!now) {
        return pass(now);
    }
    for (auto& change : now->there) {
        if (auto* written = std::get_if<store::DeviceWritten>(&change)) {
            written->is_new = rooms_.directory.find_device(written->device.number) == nullptr;
        }
        rooms_.on_row_changed(std::move(change));
    }
    for (const auto& row : now->gone) {
        if (auto removal = rooms_.directory.removal_of(row)) {
            rooms_.on_row_changed(*std::move(removal));
        }
    }
    return {};
}

/// That the database is away is logged by those who write.
void ForeignRows::log_trouble(const Error& error) {
    const bool is_told_by_others = error.code == ErrorCode::unavailable ||
                                   error.code == ErrorCode::busy ||
                                   error.code == ErrorCode::shutting_down;
    if (!is_told_by_others && error.detail != logged_) {
        logged_ = error.detail;
        rooms_.log.warn("cannot read what other nodes have changed", {{"why", error.detail}});
    }
}

void ForeignRows::wait_for_others() {
    const auto give_up = rooms_.clock.steady_now() + wait_max;
    store::RowJournal::Moment moment;
    auto all = rooms_.journal.all_follow(moment);
    while (!all.value_or(false) && rooms_.clock.steady_now() < give_up) {
        std::this_thread::sleep_for(ask_every);
        all = rooms_.journal.all_follow(moment);
    }
}

}  // namespace merpati::daemon
