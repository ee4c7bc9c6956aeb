// Finds callbacks, newest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "store/list_reader.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Reads one page of a list of callbacks.
///
/// Operation: the callback of a message is looked up in its completion. Waiting ones are read from
/// their index and sorted, unless very many wait. Exhausted and gone ones are walked in their
/// index; all others in the order of ids, except the spans of time in which the account had none
/// (Activity). The walk ends at the limit of the page, or after `visits_max` rows.
///
/// Threads: one. Throws Failure.
class CallbackSearch {
public:
    /// About 20 ms of reading.
    static constexpr std::size_t visits_max = 16'384;

    CallbackSearch(Connection& connection, const CallbackFilter& filter);

    [[nodiscard]] CallbackPage page();

private:
    /// Ids from `from` to below `below`.
    struct Range {
        std::int64_t from = 0;
        std::int64_t below = 0;
    };
    void narrow_to_message(const model::MessageId& message);
    [[nodiscard]] std::optional<std::vector<std::int64_t>> few_waiting();
    [[nodiscard]] CallbackPage page_of(std::vector<std::int64_t> waiting);
    [[nodiscard]] bool walk(const Range& range, CallbackPage& page);
    [[nodiscard]] std::optional<Range> next_range();
    [[nodiscard]] bool fits(const Cursor& row) const;
    void spend() noexcept { visits_left_ -= std::min<std::size_t>(visits_left_, 1); }

    Connection& connection_;
    const CallbackFilter& filter_;
    Range ids_;  // What is left to walk.
    const bool is_rare_;
    std::size_t visits_left_ = visits_max;
    Statement rows_;
    Statement span_;
};

}  // namespace merpati::store::sql
