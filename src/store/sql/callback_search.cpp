#include "store/sql/callback_search.hpp"

#include <functional>
#include <string>

#include <fmt/format.h>

#include "store/sql/message_writer.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using model::CallbackState;

/// Up to this many waiting callbacks are sorted in memory. If more wait, a walk over all callbacks
/// soon finds the newest.
constexpr std::size_t waiting_read_max = 20'000;

/// Whether the state has an index of its own, which is ordered by id.
bool is_rare(const CallbackFilter& filter) {
    return filter.state == CallbackState::exhausted || filter.state == CallbackState::gone;
}

std::string rows_query(const CallbackFilter& filter) {
    const auto rare = is_rare(filter) ? fmt::format(" AND b.state = {} AND b.state > 1",
                                                    static_cast<int>(*filter.state))
                                      : "";
    return fmt::format(
        "SELECT {} FROM callback b WHERE b.id >= ?1 AND b.id < ?2{} "
        "ORDER BY b.id DESC",
        callback_columns, rare);
}

// Places of callback_columns.
constexpr int account_column = 2;
constexpr int message_column = 4;
constexpr int state_column = 10;

}  // namespace

CallbackSearch::CallbackSearch(Connection& connection, const CallbackFilter& filter)
    : connection_(connection),
      filter_(filter),
      ids_{.from = filter.since ? Uuid::sequence_at(*filter.since) : 0,
           .below = std::min(filter.before ? filter.before->sequence() : sequence_max,
                             filter.until ? Uuid::sequence_at(*filter.until) : sequence_max)},
      is_rare_(is_rare(filter)),
      rows_(connection, rows_query(filter), Rows::many),
      span_(connection,
            "SELECT span FROM activity WHERE account = ? AND span <= ? "
            "ORDER BY span DESC LIMIT 1") {
    if (filter.message) {
        narrow_to_message(*filter.message);
    }
}

/// The completion names the callback of a message, so callbacks need no index by message.
void CallbackSearch::narrow_to_message(const model::MessageId& message) {
    Statement find{connection_, "SELECT event FROM completion WHERE id = ?"};
    const auto event = first_integer(find.query(message.sequence()));
    ids_ = {.from = std::max(ids_.from, event), .below = std::min(ids_.below, event + 1)};
}

CallbackPage CallbackSearch::page() {
    if (filter_.state == CallbackState::waiting && !filter_.message) {
        if (auto waiting = few_waiting()) {
            return page_of(std::move(*waiting));
        }
    }
    CallbackPage page;
    while (const auto range = next_range()) {
        if (!walk(*range, page)) {
            break;
        }
        ids_.below = range->from;
    }
    if (page.records.size() == filter_.limit) {
        page.next = page.records.back().callback.id;
    } else if (ids_.below > ids_.from) {
        page.next = model::EventId{ids_.below, 0};
    }
    return page;
}

/// The ids of waiting callbacks; empty: too many to sort.
std::optional<std::vector<std::int64_t>> CallbackSearch::few_waiting() {
    Statement find{connection_, fmt::format("SELECT id FROM callback WHERE state = 0{} "
                                            "ORDER BY account, origin_key, due_at, id LIMIT ?",
                                            filter_.account ? fmt::format(" AND account = {}",
                                                                          filter_.account->value)
                                                            : "")};
    std::vector<std::int64_t> waiting;
    std::size_t count = 0;
    for (auto row = find.query(waiting_read_max + 1); row.next();) {
        if (++count > waiting_read_max) {
            return std::nullopt;
        }
        if (const auto id = row.integer(0); id >= ids_.from && id < ids_.below) {
            waiting.push_back(id);
        }
    }
    return waiting;
}

CallbackPage CallbackSearch::page_of(std::vector<std::int64_t> waiting) {
    std::ranges::sort(waiting, std::greater{});
    CallbackPage page;
    Statement find{connection_,
                   fmt::format("SELECT {} FROM callback b WHERE b.id = ?", callback_columns)};
    for (const auto id : waiting) {
        auto row = find.query(id);
        if (row.next() && fits(row)) {  // It may have been delivered since.
            page.records.push_back(read_callback(row));
        }
        if (page.records.size() == filter_.limit) {
            page.next = page.records.back().callback.id;
            break;
        }
    }
    return page;
}

/// The newest ids that are left, of which some may belong to the account; empty: none are left, or
/// no visits.
std::optional<CallbackSearch::Range> CallbackSearch::next_range() {
    if (ids_.from >= ids_.below || visits_left_ == 0) {
        return std::nullopt;
    }
    if (!filter_.account || is_rare_ || filter_.message) {
        return ids_;
    }
    spend();
    auto row = span_.query(filter_.account->value, (ids_.below - 1) >> Activity::span_bits);
    if (!row.next()) {
        ids_.below = ids_.from;
        return std::nullopt;
    }
    const auto span = row.integer(0);
    const auto from = std::max(ids_.from, span << Activity::span_bits);
    ids_.below = std::min(ids_.below, (span + 1) << Activity::span_bits);
    if (from >= ids_.below) {  // The newest activity is older than all that is looked for.
        ids_.below = ids_.from;
        return std::nullopt;
    }
    return Range{.from = from, .below = ids_.below};
}

/// False: the page is full, or no visits are left.
bool CallbackSearch::walk(const Range& range, CallbackPage& page) {
    auto row = rows_.query(range.from, range.below);
    while (visits_left_ > 0) {
        spend();
        if (!row.next()) {
            return true;
        }
        ids_.below = row.integer(0);
        if (fits(row)) {
            page.records.push_back(read_callback(row));
            if (filter_.message && page.records.back().callback.message != filter_.message) {
                page.records.pop_back();  // An id that was guessed.
            }
            if (page.records.size() == filter_.limit) {
                return false;
            }
        }
    }
    return false;
}

bool CallbackSearch::fits(const Cursor& row) const {
    return (!filter_.account || row.integer(account_column) == filter_.account->value) &&
           (!filter_.state || row.integer(state_column) == static_cast<int>(*filter_.state)) &&
           (!filter_.message || row.integer(message_column) == filter_.message->sequence());
}

}  // namespace merpati::store::sql
