#include "store/sqlite/checkpointer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/thread.hpp"

namespace merpati::store::sqlite {

HeldLog::HeldLog(Connection& reader) : reader_(reader) {
    reader_.begin_snapshot();
    std::ignore = reader_.query_text("SELECT count(*) FROM sqlite_schema");  // Begins to read.
}

Checkpointer::~Checkpointer() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Checkpointer::follow(Connection& writer, bool is_idle) {
    check_failure();
    const auto frames = writer.log_frames();
    int left = 0;
    bool finishes = false;
    {
        const std::lock_guard lock{mutex_};
        if (frames < frames_) {  // The log was begun anew.
            ++log_;
            moved_ = 0;
            is_mostly_moved_ = false;
            start_at_ = sizes_.frames_max;
        }
        left = frames - moved_;
        finishes = std::exchange(is_mostly_moved_, false) && left <= sizes_.frames_few && left > 0;
    }
    frames_ = frames;
    if (finishes) {
        if (const std::unique_lock alone{moving_, std::try_to_lock}; alone) {
            (void)move(writer);
        }
        check_failure();
        return;
    }
    if (left > 0 && (is_idle || (left >= sizes_.frames_max && frames >= start_at_))) {
        start_at_ =
            frames + sizes_.frames_max / 8;  // If a reader needs the log, not after each commit.
        if (!thread_.joinable()) {
            thread_ = start_thread("checkpoint", [this] { work(); });
        }
        {
            const std::lock_guard lock{mutex_};
            wanted_ = true;
            left_ = left;
        }
        changed_.notify_all();
    }
}

void Checkpointer::run(Connection& writer) {
    const std::lock_guard alone{moving_};
    check_failure();
    (void)move(writer);
    check_failure();
}

bool Checkpointer::take_full() {
    const std::lock_guard lock{mutex_};
    return std::exchange(found_full_, false);
}

void Checkpointer::work() {
    std::optional<Connection> connection;
    std::optional<Connection> reader;
    for (;;) {
        int left = 0;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return wanted_ || stops_; });
            if (stops_ || failure_) {
                return;
            }
            wanted_ = false;
            left = left_;
        }
        try {
            if (!connection) {
                connection.emplace(path_, Access::moves_log);
                connection->execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
                reader.emplace(path_, Access::read_only);
            }
            move_most(*connection, *reader, left);
        } catch (const Failure&) {  // For instance too many open files: the next one tries again.
            reader.reset();
            connection.reset();
        }
    }
}

/// Each pass moves what was committed during the one before. `left`: what the first one moves.
/// Throws Failure: the log cannot be held.
void Checkpointer::move_most(Connection& connection, Connection& reader, int left) {
    constexpr int passes_max = 16;
    int before = 0;
    for (int pass = 0; pass < passes_max; ++pass) {
        int log = 0;
        {
            const std::lock_guard lock{mutex_};
            if (stops_ || failure_) {
                return;
            }
            log = log_;
        }
        LogState state;
        connection.set_portion(std::max(sizes_.portion_min, left / sizes_.portions_max));
        {
            const std::lock_guard alone{moving_};
            const HeldLog held{reader};
            state = move(connection);
        }
        const std::lock_guard lock{mutex_};
        if (log != log_ || state.moved <= before) {
            return;  // The log was begun anew, or a reader needs the rest.
        }
        moved_ = state.moved;
        left = state.moved - before;
        if (left <= sizes_.frames_few) {
            is_mostly_moved_ = true;
            return;
        }
        before = state.moved;
    }
}

/// Call with `moving_` held. Does nothing after a failure, which it records.
LogState Checkpointer::move(Connection& connection) {
    {
        const std::lock_guard lock{mutex_};
        if (failure_) {
            return {};
        }
    }
    try {
        const auto state = connection.checkpoint();
        const std::lock_guard lock{mutex_};
        found_full_ = found_full_ || state.found_full;
        return state;
    } catch (const Failure& failure) {
        const std::lock_guard lock{mutex_};
        failure_ = failure;
        return {};
    }
}

void Checkpointer::check_failure() {
    const std::lock_guard lock{mutex_};
    if (failure_) {
        throw Failure{*failure_};
    }
}

}  // namespace merpati::store::sqlite
