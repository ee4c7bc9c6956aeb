#include "store/sqlite/message_blocks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "model/message.hpp"
#include "store/message_filter.hpp"
#include "store/sqlite/rows.hpp"

namespace merpati::store::sqlite {
namespace {

constexpr auto highest = std::numeric_limits<std::int64_t>::max();

/// A block ends early once its messages have this many keys for `ends`, so that the filter stays
/// small.
constexpr std::size_t keys_max = 65'536;

/// The keys of a block's messages. Recipients are not deduplicated: finding repeats costs more than
/// the bits that they take.
class BlockKeys {
public:
    void add_message(const Cursor& row) {
        const model::AccountId account{row.integer(1)};
        const auto device = model::PhoneNumber::from_stored(row.integer(2));
        const auto recipient = row.text(4);
        recipients_.push_back(key_of_recipient(BlockScope::all(), recipient));
        recipients_of_accounts_.push_back(key_of_recipient(BlockScope::of(account), recipient));
        const bool is_campaign = row.integer(3) != 0;
        if (facts_seen_.emplace(account.value, device.value(), is_campaign).second) {
            facts_.insert(key_of(account, device));
            const auto source = is_campaign ? model::Source::campaign : model::Source::api;
            for (const auto scope : scopes_of(account, device)) {
                facts_.insert(key_of(scope));
                facts_.insert(key_of(scope, source));
            }
        }
    }

    void add_end(const Cursor& row, const Cursor& end) {
        const model::AccountId account{row.integer(1)};
        const auto device = model::PhoneNumber::from_stored(row.integer(2));
        const auto state = end.enumerator(1, model::MessageState::held);
        const auto code = static_cast<model::StatusCode>(end.number<std::uint16_t>(2));
        const auto details = end.text(3);
        if (!ends_seen_.emplace(account.value, device.value(), state, code, std::string{details})
                 .second) {
            return;
        }
        const auto words = words_of(details);
        for (const auto scope : scopes_of(account, device)) {
            ends_.insert(key_of(scope, state));
            ends_.insert(key_of(scope, code));
            for (const auto& word : words) {
                ends_.insert(key_of_word(scope, word));
            }
        }
    }

    [[nodiscard]] bool is_full() const { return ends_.size() >= keys_max; }
    [[nodiscard]] Bytes facts() const { return filter(facts_); }
    [[nodiscard]] Bytes ends() const { return filter(ends_); }
    [[nodiscard]] Bytes recipients() const { return filter_of(recipients_); }
    [[nodiscard]] Bytes recipients_of_accounts() const {
        return filter_of(recipients_of_accounts_);
    }

private:
    struct Hash {
        std::size_t operator()(const BlockKey& key) const noexcept { return key.first; }
    };
    using Keys = std::unordered_set<BlockKey, Hash>;

    [[nodiscard]] static std::array<BlockScope, 3> scopes_of(model::AccountId account,
                                                             model::PhoneNumber device) {
        return {BlockScope::all(), BlockScope::of(account), BlockScope::of(device)};
    }
    [[nodiscard]] static Bytes filter(const Keys& keys) {
        return filter_of(std::vector<BlockKey>{keys.begin(), keys.end()});
    }

    std::set<std::tuple<std::int64_t, std::int64_t, bool>> facts_seen_;
    std::set<
        std::tuple<std::int64_t, std::int64_t, model::MessageState, model::StatusCode, std::string>>
        ends_seen_;
    Keys facts_;
    Keys ends_;
    std::vector<BlockKey> recipients_;
    std::vector<BlockKey> recipients_of_accounts_;
};

/// Whether a row of `completion` is final: all states are, except held. An impossible state counts
/// as final here and is reported as damage when the row is read.
bool has_ended(const Cursor& end, int state) {
    return end.integer(state) != static_cast<int>(model::MessageState::held);
}

/// Reads `completion` in step with `message`, both in the order of ids. This costs half as much as
/// a look-up for each message.
class Ends {
public:
    Ends(Connection& connection, std::int64_t from, std::int64_t to)
        : select_(connection,
                  "SELECT id, state, code, details FROM completion WHERE id >= ? AND id <= ? "
                  "ORDER BY id"),
          row_(select_.query(from, to)),
          is_at_row_(row_.next()) {}

    /// The row of a message that has ended, otherwise null. Ids must rise from call to call.
    [[nodiscard]] const Cursor* of(std::int64_t message) {
        while (is_at_row_ && row_.integer(0) < message) {
            is_at_row_ = row_.next();
        }
        const bool found = is_at_row_ && row_.integer(0) == message;
        return found && has_ended(row_, 1) ? &row_ : nullptr;
    }

private:
    Statement select_;
    Cursor row_;
    bool is_at_row_;
};

std::span<const std::byte> column_of(const std::vector<std::int64_t>& ids) {
    return std::as_bytes(std::span{ids});
}

}  // namespace

std::vector<std::int64_t> open_of(std::span<const std::byte> column) {
    std::vector<std::int64_t> ids(column.size() / sizeof(std::int64_t));
    std::ranges::copy(column.first(ids.size() * sizeof(std::int64_t)),
                      std::as_writable_bytes(std::span{ids}).begin());
    return ids;
}

MessageBlocks::MessageBlocks(Connection& connection) : connection_(connection) {
    try {
        last_ = last_max_ = stored_last();
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
    }
}

std::int64_t MessageBlocks::stored_last() {
    Statement newest{connection_, "SELECT last FROM message_block ORDER BY first DESC LIMIT 1"};
    auto row = newest.query();
    return row.next() ? row.integer(0) : 0;
}

void MessageBlocks::undo_from(std::int64_t message) {
    Statement remove{connection_, "DELETE FROM message_block WHERE last >= ?"};
    remove.run(message);
    last_ = message - 1;
    newest_seen_ = 0;
}

void MessageBlocks::prune(std::int64_t message) {
    Statement remove{connection_, "DELETE FROM message_block WHERE first < ?1 AND last < ?1"};
    remove.run(message);
}

std::size_t MessageBlocks::step(std::size_t size) {
    const auto written = write_next(size);
    return written > 0 ? written : revisit(size);
}

std::size_t MessageBlocks::write_next(std::size_t size) {
    Statement newest{connection_, "SELECT max(id) FROM message"};
    std::int64_t newest_id = 0;
    if (auto row = newest.query(); row.next()) {
        newest_id = row.integer(0);
    }
    if (newest_id == newest_seen_) {
        return 0;
    }
    const auto last = stored_last();
    Statement enough{connection_,
                     "SELECT id FROM message WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"};
    if (!enough.query(last, size - 1).next()) {
        newest_seen_ = newest_id;
        return 0;
    }
    return write(last + 1, highest, size);
}

/// Rewrites blocks whose open messages have ended. Stops after about `lookups` look-ups.
std::size_t MessageBlocks::revisit(std::size_t lookups) {
    std::size_t done = 0;
    while (done < lookups) {
        Place place;
        std::vector<std::int64_t> open;
        {
            Statement next{connection_,
                           "SELECT first, last, open FROM message_block "
                           "WHERE unfinished > 0 AND first > ? ORDER BY first LIMIT 1"};
            auto row = next.query(revisited_to_);
            if (!row.next()) {
                revisited_to_ = 0;
                return 0;
            }
            place = {.first = row.integer(0), .last = row.integer(1)};
            open = open_of(row.blob(2));
        }
        revisited_to_ = place.first;
        done += open.size() + 1;
        if (has_ended(open)) {
            done += write(place.first, place.last, highest);
        }
    }
    return done;
}

/// Whether rewriting the block is worth it: a complete list has ended, or half of a partial one. So
/// a block is rewritten only a few times, in whatever order its messages end.
bool MessageBlocks::has_ended(const std::vector<std::int64_t>& open) {
    Statement end{connection_, "SELECT state FROM completion WHERE id = ?"};
    const auto ended = std::ranges::count_if(open, [&](std::int64_t id) {
        auto row = end.query(id);
        return row.next() && sqlite::has_ended(row, 0);
    });
    return std::cmp_greater_equal(ended, open.size() > open_max ? open.size() / 2 : open.size());
}

/// Writes a block of the messages from `from` to `to`; `to` = `highest`: of the next `size`.
/// Returns how many messages it read.
std::size_t MessageBlocks::write(std::int64_t from, std::int64_t to, std::size_t size) {
    BlockKeys keys;
    std::vector<std::int64_t> open;
    Place place{.first = from, .last = to};
    std::size_t count = 0;
    std::size_t unfinished = 0;
    {
        Statement rows{connection_,
                       "SELECT id, account, device, flags & 16, recipient FROM message "
                       "WHERE id >= ? AND id <= ? ORDER BY id"};
        auto row = rows.query(from, to);
        Ends ends{connection_, from, to};
        while (count < size && (to != highest || !keys.is_full()) && row.next()) {
            ++count;
            const auto id = row.integer(0);
            place.last = to == highest ? id : to;
            keys.add_message(row);
            if (const auto* end = ends.of(id)) {
                keys.add_end(row, *end);
                continue;
            }
            ++unfinished;
            open.push_back(id);
            if (open.size() > open_max + 1) {  // Keeps the newest, which end last.
                open.erase(open.begin());
            }
        }
    }
    const auto ends = unfinished > open_max ? Bytes{} : keys.ends();
    Statement put{connection_, "INSERT OR REPLACE INTO message_block VALUES(?,?,?,?,?,?,?,?)"};
    const auto facts = keys.facts();
    const auto recipients = keys.recipients();
    const auto of_accounts = keys.recipients_of_accounts();
    put.run(place.first, place.last, unfinished, column_of(open), std::span<const std::byte>{facts},
            std::span<const std::byte>{ends}, std::span<const std::byte>{recipients},
            std::span<const std::byte>{of_accounts});
    last_ = std::max(last_, place.last);
    last_max_ = std::max(last_max_, last_);
    return count;
}

}  // namespace merpati::store::sqlite
