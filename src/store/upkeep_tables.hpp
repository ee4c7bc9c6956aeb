// What the process writes for its upkeep, in a Change.
#pragma once

#include <cstddef>
#include <functional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// Retention removes everything older than these times.
struct PruneLimits {
    // Queue time (base/queue_clock.hpp), like ids and idempotency records.
    Timestamp messages_before;  // Messages in a final state whose callback does not wait.
    Timestamp idempotency_before;
    Timestamp platform_events_before;  // Reports of platforms; a later repeat counts as new.
    Timestamp received_media_before;   // References by which received media are downloaded.
    // Wall clock.
    Timestamp sessions_seen_before;
    Timestamp sessions_begun_before;
    Timestamp links_expired_before;
    Timestamp audit_before;
    Timestamp keys_before{};    // Keys that were revoked, or have expired.
    Timestamp usage_before{};   // Counts of whole hours.
    Timestamp ledger_before{};  // Rows of ledgers; their sums stay, in an opening row.
    /// QueueClock::offset, by which `messages_before` is compared with the ends of messages and
    /// callbacks, which are times of the wall clock.
    Millis clock_offset{0};
    // A step ends after `visits_max` rows, or when `is_over` says so (empty: never), so that it
    // delays no batch long. It visits one row at least.
    std::size_t visits_max = 5'000;
    std::function<bool()> is_over{};
    /// Begins a round, also if the last one is not complete, so that tables which had no old rows
    /// left in it are visited again.
    bool begins_round = false;
};

/// What a step of retention did.
struct PruneStep {
    std::size_t removed = 0;  // Rows, not counting those that belong to them.
    bool complete = false;    // No table has old rows left: the round is complete.
};

/// A part of Tables.
class UpkeepTables {
public:
    virtual ~UpkeepTables() = default;

    /// Stores QueueClock::offset for the next start.
    virtual Result<void> set_clock_offset(Millis offset) = 0;

    /// One small step of retention. Steps take the tables in turn, and each continues where the
    /// last one stopped, so that neither rows that cannot be removed yet nor a table with many old
    /// rows delay the others. The cost of a visit does not depend on how much is stored. The step
    /// after a complete round begins the next one.
    virtual Result<PruneStep> prune(const PruneLimits& limits) = 0;

    // The summaries by which searches (ListReader::messages) skip messages. A reader makes one
    // (UpkeepReader::summarise), so that no commit waits for it:
    /// Call in a change of its own before the reader is opened.
    virtual Result<void> begin_summary() = 0;
    /// Stores the summary. False: a message was stored since `begin_summary` that belongs to it, or
    /// it does not continue what is stored; nothing was written.
    virtual Result<bool> put_summary(const MessageSummary& summary) = 0;
    static constexpr std::size_t summary_size = 4'096;
};

}  // namespace merpati::store
