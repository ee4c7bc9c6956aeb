// Summaries of messages, by which a search skips those that it cannot want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/sqlite/block_keys.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// Writes the table `message_block`. A block is some thousand messages with consecutive ids; blocks
/// are consecutive too, from the oldest message on. Of each there are filters (block_keys.hpp):
///
///   facts                   accounts and devices that it has messages of, and their sources
///   ends                    states, codes and words of details, of its messages that have ended
///   recipients              of all accounts
///   recipients_of_accounts  the same, by account
///
/// They say what is not in the block, and stay true when retention removes some of it. An exact
/// index of recipients alone would cost every message as much as a row.
///
/// Operation: a block is written some time after its messages were (`step`), so that these cost no
/// more than before. How a message ends is not known of those that wait or are held then: up to
/// `open_max` are listed in the block, and looked at singly; with more, the block has no `ends`
/// yet. Once they have ended the block is written anew. A message that is accepted with an id
/// inside a block that was written (ids are given before commits are ordered) undoes the block and
/// those after it.
///
/// Threads: the store's. Throws Failure.
class MessageBlocks {
public:
    /// Outside of a transaction, which does not go on after damage. Summaries that cannot be read
    /// keep no message from being accepted.
    explicit MessageBlocks(Connection& connection);

    /// A message was accepted, in the transaction that stores it.
    void note(std::int64_t message) {
        if (message <= last_) {
            undo_from(message);
        }
    }

    /// After a rollback: the newest block may be gone.
    void forget() { newest_seen_ = 0; }

    /// Writes one block of `size` messages, or looks at some that have open ones. Returns how many
    /// messages it read; 0: there is nothing to do for now.
    [[nodiscard]] std::size_t step(std::size_t size);

    /// Removes the blocks of messages below `message` alone.
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
    std::int64_t last_ = 0;          // No block has a higher id.
    std::int64_t newest_seen_ = 0;   // When there were too few for a block.
    std::int64_t revisited_to_ = 0;  // The block that was looked at last; 0: none of this round.
};

/// Of the column `open`: ids, 8 bytes each.
[[nodiscard]] std::vector<std::int64_t> open_of(std::span<const std::byte> column);

}  // namespace merpati::store::sqlite
