#include "store/sql/message_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "store/sql/message_blocks.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using model::MessageState;

/// Up to this many waiting messages are sorted in memory. If more wait, a walk over the message
/// table soon finds the newest.
constexpr std::size_t waiting_sorted_max = 20'000;

/// Whether the filter selects a state of messages that have no completion.
bool waits(const MessageFilter& filter) {
    return filter.state == MessageState::pending || filter.state == MessageState::sending ||
           filter.state == MessageState::handed_over;
}

/// Whether the filter has a condition on completions.
bool asks_for_end(const MessageFilter& filter) {
    return (filter.state && !waits(filter)) || filter.code || !filter.words.empty();
}

/// Whether it has a condition on messages, other than time.
bool asks_for_message(const MessageFilter& filter) {
    return filter.account || filter.device || filter.recipient || filter.recipient_end ||
           filter.source;
}

/// Whether it selects a state of few messages, which has an index.
bool is_rare(const MessageFilter& filter) {
    return filter.state && !waits(filter) && *filter.state != MessageState::sent;
}

/// Whether the search walks completions instead of messages.
bool walks_ends(const MessageFilter& filter) {
    return is_rare(filter) || (asks_for_end(filter) && !asks_for_message(filter));
}

/// The text without what is no digit: it becomes part of a statement.
std::string digits_of(std::string text) {
    std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    return text;
}

std::string message_condition(const MessageFilter& filter) {
    std::string condition = "(?3 = '' OR m.recipient = ?3)";
    if (filter.recipient_end) {
        condition += fmt::format(" AND m.recipient LIKE '%{}'", digits_of(*filter.recipient_end));
    }
    if (filter.account) {
        condition += fmt::format(" AND m.account = {}", filter.account->value);
    }
    if (filter.device) {
        condition += fmt::format(" AND m.device = {}", filter.device->value());
    }
    if (filter.source) {
        condition += fmt::format(" AND (m.flags & {0}) = {1}", campaign_flag,
                                 *filter.source == model::Source::campaign ? campaign_flag : 0);
    }
    return condition;
}

std::string end_condition(const MessageFilter& filter) {
    std::string condition = "1 = 1";
    if (filter.state) {
        condition += fmt::format(" AND c.state = {}", static_cast<int>(*filter.state));
    }
    if (filter.code) {
        condition += fmt::format(" AND c.code = {}", static_cast<int>(*filter.code));
    }
    return condition;
}

/// Selects the messages from ?1 to below ?2, newest first. Column 0 is the id. Column 1 is NULL if
/// the message does not fit, otherwise the text in which words are searched: the details of its
/// completion, or "" if the filter has no condition on completions. A walk over completions checks
/// the message's own condition afterwards, for the few that fit so far.
std::string rows_query(const MessageFilter& filter) {
    if (walks_ends(filter)) {
        return fmt::format(
            "SELECT c.id, CASE WHEN {} THEN c.details END, ?3 FROM completion c "
            "WHERE c.id >= ?1 AND c.id < ?2{} ORDER BY c.id DESC",
            end_condition(filter),
            is_rare(filter)
                ? fmt::format(" AND c.state = {} AND c.state > 2", number_of(*filter.state))
                : "");
    }
    std::string fitting = "''";
    if (asks_for_end(filter)) {
        fitting = fmt::format("(SELECT c.details FROM completion c WHERE c.id = m.id AND {})",
                              end_condition(filter));
    } else if (waits(filter)) {
        fitting = "CASE WHEN NOT EXISTS (SELECT 1 FROM completion c WHERE c.id = m.id) THEN '' END";
    }
    return fmt::format(
        "SELECT m.id, CASE WHEN {} THEN {} END FROM message m "
        "WHERE m.id >= ?1 AND m.id < ?2 ORDER BY m.id DESC",
        message_condition(filter), fitting);
}

/// The cost of reading the summary of a block, in rows visited.
constexpr std::size_t block_visits = 4;

/// A message that fits is in all of these scopes.
std::vector<BlockScope> scopes_of(const MessageFilter& filter) {
    std::vector<BlockScope> scopes;
    if (filter.account) {
        scopes.push_back(BlockScope::of(*filter.account));
    }
    if (filter.device) {
        scopes.push_back(BlockScope::of(*filter.device));
    }
    if (scopes.empty()) {
        scopes.push_back(BlockScope::all());
    }
    return scopes;
}

std::vector<BlockKey> fact_keys(const MessageFilter& filter) {
    std::vector<BlockKey> keys;
    for (const auto scope : scopes_of(filter)) {
        keys.push_back(filter.source ? key_of(scope, *filter.source) : key_of(scope));
    }
    if (filter.account && filter.device) {
        keys.push_back(key_of(*filter.account, *filter.device));
    }
    return keys;
}

std::vector<BlockKey> end_keys(const MessageFilter& filter) {
    std::vector<BlockKey> keys;
    for (const auto scope : scopes_of(filter)) {
        if (filter.state && !waits(filter)) {
            keys.push_back(key_of(scope, *filter.state));
        }
        if (filter.code) {
            keys.push_back(key_of(scope, *filter.code));
        }
        for (const auto& word : filter.words) {
            keys.push_back(key_of_word(scope, word));
        }
    }
    return keys;
}

std::optional<BlockKey> recipient_key(const MessageFilter& filter) {
    return filter.recipient.transform([&](const std::string& recipient) {
        return key_of_recipient(
            filter.account ? BlockScope::of(*filter.account) : BlockScope::all(), recipient);
    });
}

std::string blocks_query(const MessageFilter& filter) {
    return fmt::format(
        "SELECT first, last, unfinished, open, facts, ends, {} FROM message_block "
        "WHERE first < ? ORDER BY first DESC",
        filter.account ? "recipients_of_accounts" : "recipients");
}

}  // namespace

MessageSearch::MessageSearch(Connection& connection, const MessageFilter& filter)
    : connection_(connection),
      filter_(filter),
      recipient_(filter.recipient.value_or("")),
      lowest_(filter.since ? Uuid::sequence_at(*filter.since) : 0),
      below_(std::min(filter.before ? filter.before->sequence() : sequence_max,
                      filter.until ? Uuid::sequence_at(*filter.until) : sequence_max)),
      walks_ends_(walks_ends(filter)),
      facts_(fact_keys(filter)),
      ends_(end_keys(filter)),
      recipient_key_(recipient_key(filter)),
      rows_(connection, rows_query(filter), Rows::many),
      message_(connection, fmt::format("SELECT 1 FROM message m WHERE m.id = ?1 AND ?2 IS NOT NULL "
                                       "AND {}",
                                       message_condition(filter))),
      blocks_(connection, blocks_query(filter), Rows::many) {
    if (waits(filter)) {
        waiting_ = few_waiting();
    }
    if (filter.account && !waiting_) {
        span_.emplace(connection,
                      "SELECT span FROM activity WHERE account = ? AND span <= ? "
                      "ORDER BY span DESC LIMIT 1");
    }
    if (!waiting_) {
        block_.emplace(blocks_.query(below_));
        next_block();
    }
}

std::optional<std::int64_t> MessageSearch::next() {
    while (visits_left_ > 0) {
        if (!row_) {
            range_ = waiting_ ? next_waiting() : next_range();
            if (!range_) {
                return std::nullopt;
            }
            row_.emplace(rows_.query(range_->from, range_->below, recipient_));
        }
        spend(1);
        if (!row_->next()) {
            row_.reset();
            below_ = range_->from;
            continue;
        }
        below_ = row_->integer(0);
        if (fits(*row_)) {
            return below_;
        }
    }
    return std::nullopt;
}

bool MessageSearch::fits(const Cursor& row) {
    if (row.null(1) || !has_words(row.text(1), filter_.words)) {
        return false;
    }
    if (!walks_ends_) {
        return true;
    }
    spend(1);
    const auto id = row.integer(0);
    return message_.query(id, id, recipient_).next();
}

std::optional<std::int64_t> MessageSearch::stopped_below() const noexcept {
    return ended_ || below_ <= lowest_ ? std::nullopt : std::optional{below_};
}

std::optional<MessageSearch::Range> MessageSearch::next_waiting() {
    while (!waiting_->empty()) {
        const auto id = waiting_->back();
        waiting_->pop_back();
        if (id >= lowest_ && id < below_) {
            return Range{.from = id, .below = id + 1};
        }
    }
    ended_ = true;
    return std::nullopt;
}

std::optional<MessageSearch::Range> MessageSearch::next_range() {
    while (below_ > lowest_ && visits_left_ > 0) {
        Range range{.from = lowest_, .below = below_};
        if (span_ && !narrow_to_activity(range)) {
            break;
        }
        below_ = range.below;
        if (narrow_to_block(range)) {
            return range;
        }
        below_ = range.from;
    }
    ended_ = visits_left_ > 0;
    return std::nullopt;
}

bool MessageSearch::narrow_to_activity(Range& range) {
    auto row = span_->query(filter_.account->value, (range.below - 1) >> Activity::span_bits);
    if (!row.next()) {
        return false;
    }
    const auto span = row.integer(0);
    range.from = std::max(range.from, span << Activity::span_bits);
    range.below = std::min(range.below, (span + 1) << Activity::span_bits);
    return range.from < range.below;
}

bool MessageSearch::narrow_to_block(Range& range) {
    while (has_block_ && block_->integer(0) >= range.below) {
        next_block();
    }
    if (!has_block_) {
        return true;
    }
    if (const auto last = block_->integer(1); last < range.below - 1) {
        range.from = std::max(range.from, last + 1);
        return true;
    }
    if (!block_fits_) {
        spend(block_visits);
        block_fits_ = block_may_fit();
    }
    const auto first = std::max(lowest_, block_->integer(0));
    range.from = *block_fits_ ? std::max(range.from, first) : first;
    return *block_fits_;
}

/// A summary that cannot be read ends their use: from there on all rows are walked.
void MessageSearch::next_block() {
    block_fits_.reset();
    try {
        has_block_ = block_->next();
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
        has_block_ = false;
    }
}

bool MessageSearch::block_may_fit() {
    const auto has = [this](int column, const BlockKey& key) {
        return may_hold(block_->blob(column), key);
    };
    const auto has_all = [&](int column, const std::vector<BlockKey>& keys) {
        return std::ranges::all_of(keys, [&](const BlockKey& key) { return has(column, key); });
    };
    if (!has_all(4, facts_) || (recipient_key_ && !has(6, *recipient_key_))) {
        return false;
    }
    if (waits(filter_)) {
        return block_->integer(2) > 0;
    }
    if (has_all(5, ends_)) {
        return true;
    }
    // Messages that were open when the block was written may have ended since.
    return std::ranges::any_of(open_of(block_->blob(3)), [this](std::int64_t id) {
        spend(1);
        auto row = rows_.query(id, id + 1, recipient_);
        return row.next() && fits(row);
    });
}

/// The waiting messages, oldest first; empty: too many to sort.
std::optional<std::vector<std::int64_t>> MessageSearch::few_waiting() {
    std::string rows = "SELECT id, 0 FROM handed_over WHERE decide_by IS NOT NULL";
    if (filter_.state != MessageState::handed_over) {
        rows = "SELECT id, intent FROM queue";
        if (filter_.device) {
            rows += fmt::format(" WHERE device = {}", filter_.device->value());
        }
    }
    Statement walk{connection_, rows + " LIMIT ?"};
    std::vector<std::int64_t> waiting;
    std::size_t count = 0;
    auto row = walk.query(waiting_sorted_max + 1);
    while (row.next()) {
        ++count;
        const bool is_sending = row.integer(1) != 0;
        if (is_sending == (filter_.state == MessageState::sending)) {
            waiting.push_back(row.integer(0));
        }
    }
    if (count > waiting_sorted_max) {
        return std::nullopt;
    }
    std::ranges::sort(waiting);
    return waiting;
}

}  // namespace merpati::store::sql
