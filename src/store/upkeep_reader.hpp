// Reads what the process needs for its start and its upkeep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// Where UpkeepReader::summarise continues.
struct SummaryPlace {
    std::int64_t newest_seen = 0;   // The newest message when too few were left to summarise.
    std::int64_t revisited_to = 0;  // The last summary that was looked at again; 0: a round begins.
};
struct SummaryStep {
    std::unique_ptr<MessageSummary> summary;  // Null: none is due.
    std::size_t read = 0;                     // Messages; 0 and no summary: nothing to do for now.
};

/// Errors: those of Reader.
class UpkeepReader {
public:
    virtual ~UpkeepReader() = default;

    /// The highest sequence of any id in the store; new ids must be above it.
    [[nodiscard]] virtual Result<std::int64_t> last_sequence() = 0;

    /// The offset of queue time from the wall clock (QueueClock::begin); 0: none is stored.
    [[nodiscard]] virtual Result<Millis> clock_offset() = 0;

    /// Makes the summary of the oldest `size` messages that have none; if there are fewer, renews
    /// one whose messages have ended since. Leaves alone messages accepted at `before` (queue time)
    /// or later: others with lower ids may still be stored. See Tables::put_summary.
    [[nodiscard]] virtual Result<SummaryStep> summarise(std::size_t size, Timestamp before,
                                                        SummaryPlace& place) = 0;
};

}  // namespace merpati::store
