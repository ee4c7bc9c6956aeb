// Summaries of blocks of messages, by which a search skips blocks without a match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/sqlite/block_keys.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

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
/// Operation: `step` writes a block some time after its messages were stored, so that storing a
/// message costs nothing more. Messages that wait or are held at that time are open: their ends are
/// unknown. A block lists up to `open_max` open messages, which searches read one by one. A block
/// with more has no `ends` filter, and lists its newest open messages. The block is rewritten once
/// the listed messages, or half of a partial list, have ended.
///
/// Ids are assigned before commits are ordered, so a message can be stored with an id inside an
/// existing block. `note` then deletes that block and all later ones.
///
/// Threads: the store's. Throws Failure.
class MessageBlocks {
public:
    /// Must run outside a transaction, because a transaction cannot continue after damage.
    /// Summaries that cannot be read are ignored, so that messages can still be accepted.
    explicit MessageBlocks(Connection& connection);

    /// Call for each message, in the transaction that stores it.
    void note(std::int64_t message) {
        if (message <= last_) {
            undo_from(message);
        }
    }

    /// Call after a rollback, which may have removed the newest block, or restored blocks that
    /// `note` had deleted.
    void forget() {
        newest_seen_ = 0;
        last_ = last_max_;
    }

    /// Writes one block of `size` messages. If there are fewer, looks for blocks to rewrite
    /// instead. Returns how many messages it read; 0: nothing to do for now.
    [[nodiscard]] std::size_t step(std::size_t size);

    /// Removes the blocks all of whose messages are below `message`.
    void prune(std::int64_t message);

    static constexpr std::size_t open_max = 32;

private:
    struct Place {
        std::int64_t first = 0;
        std::int64_t last = 0;
    };
    [[nodiscard]] std::int64_t stored_last();
    void undo_from(std::int64_t message);
    [[nodiscard]] std::size_t write_next(std::size_t size);
    [[nodiscard]] std::size_t revisit(std::size_t lookups);
    [[nodiscard]] bool has_ended(const std::vector<std::int64_t>& open);
    [[nodiscard]] std::size_t write(std::int64_t from, std::int64_t to, std::size_t size);

    Connection& connection_;
    std::int64_t last_ = 0;          // No block covers a higher id.
    std::int64_t last_max_ = 0;      // The highest value of `last_`; no rollback restores more.
    std::int64_t newest_seen_ = 0;   // The newest message when too few were left for a block.
    std::int64_t revisited_to_ = 0;  // First id of the last revisited block; 0: a round begins.
};

/// The ids in a column `open`, 8 bytes each.
[[nodiscard]] std::vector<std::int64_t> open_of(std::span<const std::byte> column);

}  // namespace merpati::store::sqlite
