#include "store/sql/message_blocks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "model/message.hpp"
#include "store/message_filter.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

constexpr auto highest = std::numeric_limits<std::size_t>::max();

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
        if (facts_seen_.insert({account.value, device.value(), is_campaign}).second) {
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
        if (!ends_seen_.insert({account.value, device.value(), state, code, std::string{details}})
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

    // Most are seen already. Then `insert` allocates nothing, unlike `emplace`.
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
                  "ORDER BY id",
                  Rows::many),
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

constexpr const char* select_last = "SELECT last FROM message_block ORDER BY first DESC LIMIT 1";

/// The last id of the newest block; 0: there is none.
std::int64_t stored_last(Connection& connection) {
    Statement newest{connection, select_last};
    return first_integer(newest.query());
}

/// Reads up to `size` messages from the first id to below the second. With `last`, the block ends
/// there, otherwise at the last message that was read.
SummaryStep make_block(Connection& connection, std::int64_t from, std::int64_t below,
                       std::optional<std::int64_t> last, std::size_t size) {
    auto block = std::make_unique<MessageBlock>();
    BlockKeys keys;
    block->first = from;
    block->last = last.value_or(from);
    block->is_new = !last;
    std::size_t count = 0;
    Statement rows{connection,
                   fmt::format("SELECT id, account, device, flags & {}, recipient FROM message "
                               "WHERE id >= ? AND id < ? ORDER BY id",
                               campaign_flag),
                   Rows::many};
    auto row = rows.query(from, below);
    Ends ends{connection, from, below - 1};
    while (count < size && (last || !keys.is_full()) && row.next()) {
        ++count;
        const auto id = row.integer(0);
        block->last = last.value_or(id);
        keys.add_message(row);
        if (const auto* end = ends.of(id)) {
            keys.add_end(row, *end);
            continue;
        }
        ++block->unfinished;
        block->open.push_back(id);
        if (block->open.size() >
            MessageBlocks::open_max + 1) {  // Keeps the newest, which end last.
            block->open.erase(block->open.begin());
        }
    }
    block->messages = count;
    block->facts = keys.facts();
    block->ends = block->unfinished > MessageBlocks::open_max ? Bytes{} : keys.ends();
    block->recipients = keys.recipients();
    block->recipients_of_accounts = keys.recipients_of_accounts();
    return {.summary = std::move(block), .read = count};
}

SummaryStep make_next(Connection& connection, std::size_t size, std::int64_t below,
                      SummaryPlace& place) {
    std::int64_t newest_id = 0;
    {
        Statement newest{connection, "SELECT max(id) FROM message WHERE id < ?"};
        if (auto row = newest.query(below); row.next()) {
            newest_id = row.integer(0);
        }
    }
    if (newest_id == place.newest_seen) {
        return {};
    }
    const auto from = stored_last(connection) + 1;
    {
        Statement enough{connection,
                         "SELECT id FROM message WHERE id >= ? AND id < ? "
                         "ORDER BY id LIMIT 1 OFFSET ?"};
        if (!enough.query(from, below, size - 1).next()) {
            place.newest_seen = newest_id;
            return {};
        }
    }
    return make_block(connection, from, below, std::nullopt, size);
}

/// Whether making the block anew is worth it: a complete list has ended, or half of a partial one.
/// So a block is made only a few times, in whatever order its messages end.
/// A message that was withdrawn is missing.
bool has_ended(Connection& connection, const std::vector<std::int64_t>& open) {
    Statement end{connection, "SELECT state FROM completion WHERE id = ?"};
    Statement message{connection, "SELECT 1 FROM message WHERE id = ?"};
    const auto ended = std::ranges::count_if(open, [&](std::int64_t id) {
        auto row = end.query(id);
        return row.next() ? sql::has_ended(row, 0) : !message.query(id).next();
    });
    return std::cmp_greater_equal(
        ended, open.size() > MessageBlocks::open_max ? open.size() / 2 : open.size());
}

/// Looks for a block whose open messages have ended. Stops after about `lookups` look-ups.
SummaryStep make_anew(Connection& connection, std::size_t lookups, SummaryPlace& place) {
    Statement next{connection,
                   "SELECT first, last, open FROM message_block "
                   "WHERE unfinished > 0 AND first > ? ORDER BY first LIMIT 1"};
    std::size_t done = 0;
    while (done < lookups) {
        std::int64_t last = 0;
        std::vector<std::int64_t> open;
        {
            auto row = next.query(place.revisited_to);
            if (!row.next()) {
                place.revisited_to = 0;
                return {};
            }
            place.revisited_to = row.integer(0);
            last = row.integer(1);
            open = open_of(row.blob(2));
        }
        done += open.size() + 1;
        if (has_ended(connection, open)) {
            return make_block(connection, place.revisited_to, last + 1, last, highest);
        }
    }
    return {.summary = nullptr, .read = done};
}

}  // namespace

std::vector<std::int64_t> open_of(std::span<const std::byte> column) {
    std::vector<std::int64_t> ids(column.size() / sizeof(std::int64_t));
    std::ranges::copy(column.first(ids.size() * sizeof(std::int64_t)),
                      std::as_writable_bytes(std::span{ids}).begin());
    return ids;
}

MessageBlocks::MessageBlocks(Connection& connection)
    : connection_(connection), has_other_writers_(connection.has_other_writers()) {
    try {
        last_ = last_max_ = stored_last(connection);
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
    }
}

/// Blocks do not overlap, so those that end at the message or later are the newest ones.
void MessageBlocks::undo_from(std::int64_t message) {
    Statement newest{connection_,
                     "SELECT first, last FROM message_block ORDER BY first DESC LIMIT 1"};
    Statement remove{connection_, "DELETE FROM message_block WHERE first = ?"};
    for (;;) {
        std::int64_t first = 0;
        {
            auto row = newest.query();
            if (!row.next() || row.integer(1) < message) {
                break;
            }
            first = row.integer(0);
        }
        remove.run(first);
    }
    last_ = message - 1;
}

void MessageBlocks::ask_newest() {
    newest_.reset();
    if (lowest_of_batch_ != none) {
        Statement ask{connection_, select_last};
        ask.run_returning(newest_);
    }
}

void MessageBlocks::undo_late() {
    if (newest_ && lowest_of_batch_ <= *newest_) {
        undo_from(lowest_of_batch_);
    }
}

bool MessageBlocks::put(const MessageBlock& block) {
    if (lowest_noted_ <= block.last || !continues(block) || !has_its_messages(block)) {
        return false;
    }
    Statement put{
        connection_,
        "INSERT INTO message_block(first, last, unfinished, open, facts, ends, recipients, "
        "recipients_of_accounts) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT(first) DO UPDATE SET last = ?2, unfinished = ?3, open = ?4, "
        "facts = ?5, ends = ?6, recipients = ?7, recipients_of_accounts = ?8"};
    using BytesOf = std::span<const std::byte>;
    put.run(block.first, block.last, block.unfinished, column_of(block.open), BytesOf{block.facts},
            BytesOf{block.ends}, BytesOf{block.recipients}, BytesOf{block.recipients_of_accounts});
    last_ = std::max(last_, block.last);
    last_max_ = std::max(last_max_, last_);
    return true;
}

bool MessageBlocks::continues(const MessageBlock& block) {
    if (block.is_new) {
        return stored_last(connection_) + 1 == block.first;
    }
    Statement find{connection_, "SELECT 1 FROM message_block WHERE first = ? AND last = ?"};
    return find.query(block.first, block.last).next();
}

/// Another program may have stored one since the block was made.
bool MessageBlocks::has_its_messages(const MessageBlock& block) {
    if (!has_other_writers_) {
        return true;
    }
    Statement count{connection_, "SELECT count(*) FROM message WHERE id >= ? AND id <= ?"};
    auto row = count.query(block.first, block.last);
    return row.next() && std::cmp_equal(row.integer(0), block.messages);
}

SummaryStep summarise(Connection& connection, std::size_t size, std::int64_t below,
                      SummaryPlace& place) {
    auto made = make_next(connection, size, below, place);
    return made.summary != nullptr ? std::move(made) : make_anew(connection, size, place);
}

}  // namespace merpati::store::sql
