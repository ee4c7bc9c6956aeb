// Finds messages, newest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/message_filter.hpp"
#include "store/sqlite/block_keys.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// One page's walk over the rows.
///
/// Operation: the ids are walked downwards, in ranges: those spans of time in which the account had
/// any (Activity), of them the blocks that may have what is looked for (MessageBlocks), and all
/// that is newer than the blocks; or single ones where few messages wait. Of each row in a range
/// the filter is asked. The search ends when all was walked, or when it has visited `visits_max`
/// rows: then `stopped_below` says where the next one goes on.
///
/// Messages that wait are found whatever their state is, which only their place tells: the caller
/// compares it, and reports what that cost (`spend`).
///
/// Threads: one, within a transaction, so that all of it is of one snapshot. Throws Failure.
class MessageSearch {
public:
    /// Some 20 ms of reading.
    static constexpr std::size_t visits_max = 16'384;

    MessageSearch(Connection& connection, const MessageFilter& filter);

    /// The next message that fits; empty: the search has ended.
    [[nodiscard]] std::optional<std::int64_t> next();

    /// What the caller did beside it, in rows visited.
    void spend(std::size_t visits) noexcept { visits_left_ -= std::min(visits, visits_left_); }

    /// Once `next` answered empty: every message that fits and was not found is below this id.
    /// Empty: there is none.
    [[nodiscard]] std::optional<std::int64_t> stopped_below() const noexcept;

private:
    /// From one id to below another.
    struct Range {
        std::int64_t from = 0;
        std::int64_t below = 0;
    };
    [[nodiscard]] std::optional<Range> next_range();
    [[nodiscard]] std::optional<Range> next_waiting();
    /// Below which id the account had messages; empty: it has no more.
    [[nodiscard]] bool narrow_to_activity(Range& range);
    /// False: the range is of a block that has nothing that fits.
    [[nodiscard]] bool narrow_to_block(Range& range);
    void next_block();
    [[nodiscard]] bool block_may_fit();
    [[nodiscard]] bool fits(const Cursor& row);
    [[nodiscard]] std::optional<std::vector<std::int64_t>> few_waiting();

    Connection& connection_;
    const MessageFilter& filter_;
    const std::string recipient_;
    std::int64_t lowest_;
    std::int64_t below_;  // All at and above this have been walked.
    std::size_t visits_left_ = visits_max;
    const bool walks_ends_;
    bool ended_ = false;
    std::optional<std::vector<std::int64_t>> waiting_;  // Few enough to be walked one by one.
    std::optional<Statement> span_;                     // Of the account's activity.
    std::vector<BlockKey> facts_;                       // What a block must have, by its column.
    std::vector<BlockKey> ends_;
    std::optional<BlockKey> recipient_key_;
    Statement rows_;
    Statement message_;  // Whether one fits, where the rows are of ends.
    Statement blocks_;
    std::optional<Range> range_;
    // Declared last: they reset their statements.
    std::optional<Cursor> row_;
    std::optional<Cursor> block_;  // The newest that begins below `below_`.
    bool has_block_ = false;
    std::optional<bool> block_fits_;
};

}  // namespace merpati::store::sqlite
