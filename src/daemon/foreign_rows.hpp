// Keeps the copies in memory in step with what other nodes write.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admission/directory.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/periodic_thread.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"
#include "store/records.hpp"
#include "store/row_journal.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: `begin`, then the directory is loaded, then `start`. Every 100 ms a thread asks the
/// journal which rows other nodes have written. The committer's thread reads them anew, between two
/// of its own commits, and passes them on: so a row of this node that is newer is never replaced by
/// an older one. Then the node says that it follows. A row that is gone is passed on as it was in
/// the directory.
///
/// A caller that has changed something waits in `wait_for_others` until all nodes follow, so that
/// its next request finds the change, whichever node answers.
///
/// Faults: while the database is away, or a row cannot be read, it tries again.
///
/// Threads: its own; `catch_up` and `wait_for_others` any but the committer's.
///
/// Limits: a caller waits for `wait_max` at most: a node that is frozen does not stop changes.
class ForeignRows {
public:
    struct Rooms {
        const Clock& clock;
        store::RowJournal& journal;
        store::ReaderPool& readers;
        store::Committer& committer;
        const admission::Directory& directory;
        /// Called on the committer's thread.
        std::function<void(store::RowChange&&)> on_row_changed;
        /// Called when what others have written cannot be told any more (RowJournal::kept), so that
        /// the copies in memory are of no use. Must end the process.
        std::function<void(const Error&)> on_fenced;
        telemetry::Log log;
    };
    explicit ForeignRows(Rooms rooms);
    ~ForeignRows() { stop(); }
    ForeignRows(const ForeignRows&) = delete;
    ForeignRows& operator=(const ForeignRows&) = delete;

    /// From here on nothing is missed: call it after the node has joined, before the directory is
    /// loaded. Errors: those of RowJournal.
    [[nodiscard]] Result<void> begin();

    /// The committer has started.
    void start();
    /// Before the committer stops. Idempotent.
    void stop();

    /// Returns when the copies follow what others had written when it was called. Not on the
    /// committer's thread. Errors: those of RowJournal and Reader, shutting_down.
    [[nodiscard]] Result<void> catch_up();

    /// Returns when all other nodes follow what this one has written, or after `wait_max`.
    void wait_for_others();

    static constexpr std::chrono::milliseconds read_every{100};
    static constexpr std::chrono::milliseconds wait_max{1'000};
    static constexpr std::chrono::milliseconds ask_every{10};

private:
    struct Reading;

    [[nodiscard]] bool round();
    [[nodiscard]] Result<void> follow();
    [[nodiscard]] Result<void> read_between_commits();
    [[nodiscard]] Result<void> pass_on_rows();
    void log_trouble(const Error& error);

    const Rooms rooms_;
    const std::shared_ptr<Reading> reading_;
    std::mutex following_;                   // Of `left_`.
    std::vector<store::DirectoryRow> left_;  // That are not passed on yet.
    std::string logged_;                     // The trouble that was logged last; "": none.
    PeriodicThread thread_;  // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
