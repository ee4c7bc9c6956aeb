// Finds messages, newest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/message_filter.hpp"
#include "store/sql/block_keys.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Reads the rows for one page of a list or a search.
///
/// Operation: walks the ids downwards in ranges. It skips spans of time in which the account had no
/// messages (Activity), and blocks whose filters exclude a match (MessageBlocks); messages newer
/// than the blocks are all read. If the filter selects waiting messages and few wait, each of them
/// is a range. Every row of a range is compared with the filter. The search ends when all ids were
/// walked or `visits_max` rows were visited; `stopped_below` says where the next search continues.
///
/// A filter by state pending, sending or handed over may yield messages in any of these states,
/// because only the place of a message tells its state. The caller compares the state, and reports
/// the cost with `spend`.
///
/// Threads: one, within one transaction, so that all reads see one snapshot. Throws Failure.
class MessageSearch {
public:
    /// About 20 ms of reading.
    static constexpr std::size_t visits_max = 16'384;

    MessageSearch(Connection& connection, const MessageFilter& filter);

    /// The next message that fits; empty: the search has ended.
    [[nodiscard]] std::optional<std::int64_t> next();

    /// Counts the caller's own reads for a message, in rows visited.
    void spend(std::size_t visits) noexcept { visits_left_ -= std::min(visits, visits_left_); }

    /// Call once `next` returned empty. Messages that fit and were not found yet are below this id;
    /// empty: there are none.
    [[nodiscard]] std::optional<std::int64_t> stopped_below() const noexcept;

private:
    /// Ids from `from` to below `below`.
    struct Range {
        std::int64_t from = 0;
        std::int64_t below = 0;
    };
    [[nodiscard]] std::optional<Range> next_range();
    [[nodiscard]] std::optional<Range> next_waiting();
    /// Reduces the range to the newest span with messages of the account. False: there is none.
    [[nodiscard]] bool narrow_to_activity(Range& range);
    /// Reduces the range to a block, or to the gap above one. False: nothing in the range fits.
    [[nodiscard]] bool narrow_to_block(Range& range);
    void next_block();
    [[nodiscard]] bool block_may_fit();
    [[nodiscard]] bool fits(const Cursor& row);
    [[nodiscard]] std::optional<std::vector<std::int64_t>> few_waiting();

    Connection& connection_;
    const MessageFilter& filter_;
    const std::string recipient_;
    std::int64_t lowest_;
    std::int64_t below_;  // All ids from this one on have been walked.
    std::size_t visits_left_ = visits_max;
    const bool walks_ends_;
    bool ended_ = false;
    std::optional<std::vector<std::int64_t>> waiting_;  // Empty: too many, or not selected.
    std::optional<Statement> span_;                     // Of the account's activity.
    // Keys that the filters of a block must hold.
    std::vector<BlockKey> facts_;
    std::vector<BlockKey> ends_;
    std::optional<BlockKey> recipient_key_;
    Statement rows_;
    Statement message_;  // Whether a message fits, if `rows_` walks completions.
    Statement blocks_;
    std::optional<Range> range_;
    // Declared last, because their destructors reset the statements above.
    std::optional<Cursor> row_;
    std::optional<Cursor> block_;  // The newest block that begins below `below_`.
    bool has_block_ = false;
    std::optional<bool> block_fits_;
};

}  // namespace merpati::store::sql
