// Summaries of blocks of messages, by which a search skips blocks without a match.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "store/reader.hpp"
#include "store/sql/block_keys.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// A row of the table `message_block`.
class MessageBlock final : public MessageSummary {
public:
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool is_new = true;        // Otherwise it replaces one with the same ids.
    std::size_t messages = 0;  // That were read to make it. Not stored.
    std::size_t unfinished = 0;
    std::vector<std::int64_t> open;
    Bytes facts;
    Bytes ends;
    Bytes recipients;
    Bytes recipients_of_accounts;
};

/// Writes the table `message_block`. A block covers some thousand messages with consecutive ids;
/// blocks follow each other without gaps from the oldest message on. Each block has these filters
/// (block_keys.hpp):
///
///   facts                   accounts, devices and sources of its messages
///   ends                    states, codes and words of the details, of messages that have ended
///   recipients              recipients of its messages
///   recipients_of_accounts  the same, by account
///
/// A filter proves that something is not in the block, also after retention has removed some of its
/// messages. An exact index of recipients alone would cost as much per message as a row.
///
/// Operation: a reader makes a block (`summarise`) some time after its messages were stored, and a
/// change stores it (`put`), so that neither an accept nor a commit waits for it. Messages that
/// wait or are held at that time are open: their ends are unknown. A block lists up to `open_max`
/// open messages, which searches read one by one. A block with more has no `ends` filter, and lists
/// its newest open messages. The block is made anew once the listed messages, or half of a partial
/// list, have ended.
///
/// Ids are assigned before commits are ordered, so a message can be stored with an id inside an
/// existing block. `note` then deletes that block and all later ones. `put` stores no block that a
/// message was added to since `begin`.
///
/// Where other programs write too, `note` only takes the id down: before the commit, `undo_late`
/// compares the lowest one with the newest block that anybody has stored. `put` stores no block
/// between whose ids there are other messages by now than those that were read.
///
/// Threads: the store's. Throws Failure.
class MessageBlocks {
public:
    /// Must run outside a transaction, because a transaction cannot continue after damage.
    /// Summaries that cannot be read are ignored, so that messages can still be accepted.
    explicit MessageBlocks(Connection& connection);

    /// Call for each message, in the transaction that stores it.
    void note(std::int64_t message) {
        lowest_noted_ = std::min(lowest_noted_, message);
        if (has_other_writers_) {
            lowest_of_batch_ = std::min(lowest_of_batch_, message);
        } else if (message <= last_) {
            undo_from(message);
        }
    }

    /// Call at the beginning of a transaction.
    void begin_batch() { lowest_of_batch_ = none; }
    // Call before a transaction is committed: the first asks what the second needs, which is called
    // after Connection::wait.
    void ask_newest();
    void undo_late();

    /// Call after a rollback, which may have removed the newest block, or restored blocks that
    /// `note` had deleted.
    void forget() { last_ = last_max_; }

    /// Call before the reader is opened that makes the next block.
    void begin() { lowest_noted_ = none; }

    /// False: a message was added to the block since `begin`, or other blocks were written.
    [[nodiscard]] bool put(const MessageBlock& block);

    static constexpr std::size_t open_max = 32;

private:
    static constexpr auto none = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool continues(const MessageBlock& block);
    [[nodiscard]] bool has_its_messages(const MessageBlock& block);
    void undo_from(std::int64_t message);

    Connection& connection_;
    const bool has_other_writers_;
    std::int64_t lowest_of_batch_ = none;
    std::optional<std::int64_t> newest_;  // The answer to `ask_newest`.
    std::int64_t last_ = 0;               // No block covers a higher id.
    std::int64_t last_max_ = 0;      // The highest value of `last_`; no rollback restores more.
    std::int64_t lowest_noted_ = 0;  // Of the messages stored since `begin`.
};

/// Makes a block of the next `size` messages below the id `below`. If there are fewer, looks for a
/// block to make anew. Run it in a transaction of a reader. Throws Failure.
[[nodiscard]] SummaryStep summarise(Connection& connection, std::size_t size, std::int64_t below,
                                    SummaryPlace& place);

/// The ids in a column `open`, 8 bytes each.
[[nodiscard]] std::vector<std::int64_t> open_of(std::span<const std::byte> column);

}  // namespace merpati::store::sql
