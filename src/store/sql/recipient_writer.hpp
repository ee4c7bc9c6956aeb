// Moves the recipients of campaigns as their messages move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/campaign.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/sql/campaign_writer.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/credits.hpp"
#include "store/sql/damaged_rows.hpp"

namespace merpati::store::sql {

/// Operation: what happens to messages with a row (Message::campaign_row) is collected, and `flush`
/// writes it: the rows in their order, then each campaign with its counts, ends and reserve. A row
/// follows only its latest message; what happens to an earlier one concerns the credit alone.
///
///   message               row
///   sent, failed          sent, failed
///   cancelled             cancelled
///   held                  uncertain
///   released              queued
///   withdrawn             pending, with its device
///   sent again            queued, with the new message
///
/// The credit of a message that fails or is cancelled returns to the campaign's reserve; if the
/// campaign has ended, to the account.
///
/// Faults: rows that cannot be written are left out until the next start, and only counted.
///
/// Threads: one, the store's. Throws Failure.
class RecipientWriter {
public:
    RecipientWriter(Connection& connection, Credits& credits);

    /// Charges a message of a row from the campaign's reserve, or else from the account. Empty:
    /// there is no such campaign (any more).
    [[nodiscard]] std::optional<Credits::Charge> charge(const model::Message& message);

    void ended(const model::Message& message, const model::Completion& completion,
               model::MessageState from);
    void released(const model::Message& message, Timestamp at);
    void withdrawn(const model::Message& message, Timestamp at);
    void retried(const model::Message& message, const model::MessageId& retry_of);
    /// Whether the row of `message` waits for another message than `retry_of`, or has one.
    [[nodiscard]] bool is_taken(const model::Message& message, const model::MessageId& retry_of);
    /// Its platform has reported this.
    void reported(const model::Message& message, model::Progress progress, Timestamp at);

    /// Writes the rows alone. Call before other code reads rows, campaigns or balances.
    void write_moves();
    /// Writes rows and campaigns. The balances follow: flush Credits afterwards.
    void flush(std::vector<RowChange>& row_changes);
    /// Call after a rollback.
    void forget();

    CampaignWriter& campaigns() { return campaigns_; }

    /// Runs `write`, unless the row is left out, and remembers damage. False: it is left out.
    template <class Write>
    bool guard(std::int64_t key, Write write) {
        const auto block = key >> block_bits;
        if (damaged_.leaves_out(block)) {
            return false;
        }
        damaged_.write(block, write);
        return true;
    }

    // Writes of a row, for `guard`. Call `count` too.
    /// Ends the row as skipped or cancelled, if it is pending.
    void end(std::int64_t key, model::RecipientState state, model::SkipReason reason, Timestamp at);
    /// Gives the row a message. `variant`: of its text; empty: as it was.
    void queue(std::int64_t key, const model::MessageId& message, model::PhoneNumber device,
               std::optional<std::uint32_t> variant, Timestamp at);
    /// Makes a row pending again whose message has ended. Nothing happens if the row is not
    /// `from`, or has another message.
    void put_back(std::int64_t key, std::int64_t message, model::RecipientState from, Timestamp at);

    /// Moves a row in the counts.
    void count(model::CampaignId campaign, model::RecipientState from, model::RecipientState to);

private:
    /// Rows of a block are adjacent, and are left out together: a page holds some tens of rows.
    static constexpr int block_bits = 4;
    static constexpr std::size_t damaged_max = 1'024;

    struct Move {
        enum class Kind : std::uint8_t { to_state, retried, reported };
        std::int64_t key = 0;
        std::size_t order = 0;
        Kind kind = Kind::to_state;
        std::int64_t message = 0;  // Of the row, or nothing changes.
        model::RecipientState from = model::RecipientState::queued;
        model::RecipientState to = model::RecipientState::queued;
        std::optional<model::StatusCode> code{};  // Of an end that stop rules look at.
        std::optional<model::Progress> progress{};
        std::optional<model::MessageId> next{};  // The message that replaces it.
        model::AccountId account;
        model::PhoneNumber device{};  // Of `next`.
        bool returns_credit = false;
        Timestamp at;
        // Once it is written: whether the row was not left out, and a change of state made.
        bool is_written = false;
        bool has_moved = false;
    };
    static Move move_of(const model::Message& message, Timestamp at);
    void add(Move move);
    void write(Move& move);
    void move_row(Move& move);
    void retry_row(const Move& move);
    void report_row(const Move& move);
    void count_end(const Move& move);
    void return_credit(const Move& move);
    void suppress_if_repeated(const Move& move);

    Connection& connection_;
    Credits& credits_;
    CampaignWriter campaigns_;
    Statement move_;
    Statement find_;
    Statement end_;
    Statement queue_;
    Statement note_progress_;
    Statement unregistered_before_;
    Statement suppress_;
    std::vector<Move> moves_;
    DamagedRows<std::int64_t, damaged_max> damaged_;
};

}  // namespace merpati::store::sql
