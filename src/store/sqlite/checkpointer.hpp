// Moves committed pages from the log into the database file.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// While one lives, SQLite does not begin the log anew: it reads the log at its present end.
class HeldLog {
public:
    /// `reader` begins a transaction. Throws Failure.
    explicit HeldLog(Connection& reader);
    ~HeldLog() { reader_.roll_back(); }
    HeldLog(const HeldLog&) = delete;
    HeldLog& operator=(const HeldLog&) = delete;

private:
    Connection& reader_;
};

/// Operation: once the log has `frames_max` pages that are not in the database file, or the store
/// is idle, a thread moves them on a connection of its own, while the store goes on committing. It
/// repeats this until it finds few new pages. It syncs them in up to `portions_max` portions, so
/// that commits, which sync the log on the same disk, do not wait for all of them; a log that grows
/// faster than that gets larger portions. Those that were committed meanwhile are moved by the
/// store's thread between two commits, because SQLite begins the log anew only when a commit finds
/// it completely moved. Pages that a reader needs stay, and the log grows.
///
/// Before SQLite 3.51.3 a checkpoint that begins in the moment in which a commit begins the log
/// anew can note pages as moved that are not (sqlite.org/wal.html#walresetbug). So the thread holds
/// the log (HeldLog) during each of its checkpoints.
///
/// Faults: after a failed checkpoint there is no other, because a later sync may succeed although
/// the kernel has dropped pages. The log still holds them. The store must stop.
///
/// Threads: one of its own, begun by the first checkpoint; one other calls the methods.
class Checkpointer {
public:
    struct Sizes {
        int frames_max = 8'000;  // 32 MiB.
        /// What the store's thread may move: some milliseconds of writing, and a sync.
        int frames_few = 512;
        int portions_max = 64;
        int portion_min = 32;
    };

    Checkpointer(std::string path, Sizes sizes) : path_(std::move(path)), sizes_(sizes) {}
    ~Checkpointer();
    Checkpointer(const Checkpointer&) = delete;
    Checkpointer& operator=(const Checkpointer&) = delete;

    /// Call after each commit, and with `is_idle` if none waits. `writer` is the connection of the
    /// commits, which watches the log. Throws the Failure of a checkpoint, also of the thread.
    void follow(Connection& writer, bool is_idle);

    /// Moves everything before it returns. Throws Failure, as `follow`.
    void run(Connection& writer);

    /// Whether a checkpoint has found the disk full since the last call.
    [[nodiscard]] bool take_full();

private:
    void work();
    void move_most(Connection& connection, Connection& reader, int left);
    [[nodiscard]] LogState move(Connection& connection);
    void check_failure();

    const std::string path_;
    const Sizes sizes_;
    int frames_ = 0;     // Pages in the log after the last commit.
    int start_at_ = 0;   // The thread is started when the log has so many.
    std::mutex moving_;  // Held during a checkpoint, until its failure is recorded.
    std::mutex mutex_;   // Guards what follows.
    std::condition_variable changed_;
    bool wanted_ = false;
    bool stops_ = false;
    int log_ = 0;    // Counts the logs: SQLite begins one anew now and then.
    int left_ = 0;   // Pages that were to be moved when the thread was woken.
    int moved_ = 0;  // Pages of this log that are in the database file.
    bool is_mostly_moved_ = false;
    bool found_full_ = false;
    std::optional<Failure> failure_;
    std::thread thread_;
};

}  // namespace merpati::store::sqlite
