// Campaigns and their audiences, as a Change writes them and a Reader reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/campaign.hpp"
#include "model/message.hpp"
#include "store/shard_set.hpp"

namespace merpati::store {

/// A new state of a campaign, with what changes with it.
struct CampaignMove {
    model::CampaignState state = model::CampaignState::draft;
    model::CampaignReason reason = model::CampaignReason::none;
    std::optional<Timestamp> until{};
    Timestamp at;  // By the wall clock.
};

/// A row of an upload.
struct NewRecipient {
    std::optional<model::PhoneNumber> number;  // Empty: it is invalid.
    std::string original;
    std::vector<std::string> values;  // By the campaign's columns, as the upload's end leaves them.
};

/// How many rows of an upload were of each kind.
struct UploadCounts {
    std::uint64_t rows = 0;
    std::uint64_t added = 0;  // Pending.
    std::uint64_t invalid = 0;
    std::uint64_t duplicate = 0;
    std::uint64_t suppressed = 0;
    friend bool operator==(const UploadCounts&, const UploadCounts&) = default;
};

/// A row that is to be queued in its lane, or skipped.
struct PlannedRow {
    std::uint32_t row = 0;
    std::uint32_t variant = 0;
    /// Null: the row is skipped for `reason`. Has its id, times, campaign and row.
    std::unique_ptr<model::Message> message;
    model::SkipReason reason = model::SkipReason::none;

    enum class Result : std::uint8_t {
        queued,            // `message` is in its lane; its `charged` is set.
        skipped,           // By the caller, or by a check in the transaction.
        left,              // The row was not pending (any more).
        sender_gone,       // The device was removed, or belongs to another account now.
        credit_exhausted,  // Neither the campaign's reserve nor the account has credit.
    };
    Result result = Result::left;
};

/// The rows of one transaction.
struct PlannedRows {
    std::vector<PlannedRow> rows;
    Timestamp next_due_at;  // Campaign::next_due_at afterwards.
    Timestamp at;           // By the wall clock.
};

/// Rows that people make pending again.
enum class RetryScope : std::uint8_t { failed, uncertain };

/// A step over many rows, which continues after `last_row`.
struct RowStep {
    std::uint32_t last_row = 0;
    std::size_t changed = 0;
    bool complete = false;
};

/// The part of Tables for campaigns; its rules and errors apply here too.
///
/// Rows of an upload are stored in steps, and belong to the audience only from the commit of
/// `complete_upload` on: until then they are staged. Staged rows are those above
/// CampaignCounts::total.
///
/// Counts, ends and the reserve change in the transaction that changes the rows. Messages that end
/// (Finish, Tables::fail_message, Tables::end_handed_over), are released, withdrawn or sent again
/// move their rows by themselves; reports of delivery (Tables::count_report) count by themselves.
///
/// Every campaign that was written is reported in WriteBatch::row_changes as CampaignWritten, also
/// when a batch has moved its rows.
///
/// Damage: a change that meets a damaged row ends as damaged, and the next one passes over the row
/// and its neighbours, which then stay as they are (`left`). A message whose row cannot be written
/// ends as any other, and is counted. A campaign that cannot be read is not found.
class CampaignTables {
public:
    virtual ~CampaignTables() = default;

    /// Assigns the id and returns the campaign. Ask `check_room` before.
    virtual Result<model::Campaign> create_campaign(const model::Campaign& campaign) = 0;
    /// The same, for an audience that is copied in steps: only `stage_rows`, `complete_upload` and
    /// `remove_campaign` find it before `complete_upload` has made it a draft like others. Whoever
    /// begins to work for the account meanwhile finds it in `campaigns_to_clean`, and removes it.
    virtual Result<model::Campaign> begin_copy(const model::Campaign& campaign) = 0;
    /// Whether the account may have one more campaign that has not ended. Errors: conflict (it has
    /// `unfinished_max` of them, or `campaigns_max` in all).
    virtual Result<void> check_room(model::AccountId account) = 0;
    static constexpr std::size_t unfinished_max = 1'000;
    static constexpr std::size_t campaigns_max = 10'000;
    virtual Result<std::optional<model::Campaign>> find_campaign(model::CampaignId id) = 0;
    /// Errors of all below: not_found.
    virtual Result<model::Campaign> set_plan(model::CampaignId id,
                                             const model::CampaignPlan& plan) = 0;
    /// Asserts that the states permit the move. `started_at` is set by the first move to running,
    /// `finished_at` by one to an end, which also gives the reserve back. A move to running begins
    /// CampaignEnds anew. A move to the same state changes reason and `until` alone.
    virtual Result<model::Campaign> move_campaign(model::CampaignId id,
                                                  const CampaignMove& move) = 0;
    /// Hides the campaign; `remove_rows` then removes its rows and, at last, the campaign. None of
    /// its rows may be queued: nothing would keep back their messages.
    virtual Result<void> remove_campaign(model::CampaignId id) = 0;

    /// Reserves the account's credit, so that the reserve is one for each row that is pending or
    /// queued and not yet charged. Does nothing if the account's credit is not counted. Errors:
    /// refused (the balance is too small; the detail has both numbers).
    virtual Result<model::Campaign> reserve_credit(model::CampaignId id, Timestamp at) = 0;

    /// Stages rows after those that are staged already. Decides which are duplicates or suppressed,
    /// and adds to `counts`. Errors: conflict (not a draft), refused (more rows than a number has
    /// room for).
    virtual Result<void> stage_rows(model::CampaignId id, std::span<const NewRecipient> rows,
                                    UploadCounts& counts, Timestamp at) = 0;
    /// Adds the staged rows to the audience, with its columns. Errors: conflict (not a draft; the
    /// staged rows are not as many as `counts` says).
    virtual Result<model::Campaign> complete_upload(model::CampaignId id,
                                                    const std::vector<std::string>& columns,
                                                    const UploadCounts& counts) = 0;
    /// Empties the audience: its rows become staged ones, which must be removed before the next
    /// upload. Errors: conflict (not a draft).
    virtual Result<model::Campaign> empty_audience(model::CampaignId id) = 0;
    /// Removes at most `limit` staged rows, or rows of a removed campaign.
    virtual Result<RowStep> remove_rows(model::CampaignId id, std::size_t limit) = 0;

    /// Queues rows in their lanes: stores message and queue row, and marks the row, if it is still
    /// pending and its campaign running. Checks suppression, exclusion and frequency again; sets
    /// the results.
    virtual Result<void> queue_rows(model::CampaignId id, PlannedRows& rows) = 0;
    /// Ends at most `limit` pending rows as cancelled.
    virtual Result<RowStep> cancel_rows(model::CampaignId id, std::size_t limit, Timestamp at) = 0;
    /// Makes rows after `after_row` pending again. `code`: only those that failed with it.
    virtual Result<RowStep> retry_rows(model::CampaignId id, RetryScope scope,
                                       std::optional<model::StatusCode> code,
                                       std::uint32_t after_row, std::size_t limit,
                                       Timestamp at) = 0;
    /// The campaign whose state and reason its webhook was last notified of.
    virtual Result<void> note_notified(model::CampaignId id, model::CampaignState state,
                                       model::CampaignReason reason) = 0;

    /// Whether the person of the row was erased. A row that is erased is never queued: it ends as
    /// cancelled. Errors: not_found also if there is no such row.
    virtual Result<bool> is_erased(model::CampaignId id, std::uint32_t row) = 0;
    /// The account's campaign that last sent a message to the number; empty: none has.
    virtual Result<std::optional<model::CampaignId>> last_campaign_of(
        model::AccountId account, model::PhoneNumber number) = 0;
};

struct CampaignFilter {
    std::optional<model::AccountId> account;
    std::optional<model::CampaignState> state;
    std::optional<model::CampaignId> before;  // Newest first.
    std::size_t limit = 50;
};

struct RecipientFilter {
    model::CampaignId campaign;
    std::optional<model::RecipientState> state;
    std::optional<model::SkipReason> reason;
    std::uint32_t after_row = 0;
    std::size_t limit = 50;
};

struct RecipientPage {
    std::vector<model::Recipient> recipients;
    /// `after_row` of the next page; empty: this is the last one. A page reads a bounded number of
    /// rows, so it may be short or empty.
    std::optional<std::uint32_t> next;
};

/// Why recipients of a campaign got no message: how many there are for each reason, without those
/// that nobody has. Retention keeps them, as it does the counts.
struct OutcomeCounts {
    std::vector<std::pair<model::SkipReason, std::int64_t>> skipped;
    std::vector<std::pair<model::StatusCode, std::int64_t>> failed;  // By code, ascending.
    friend bool operator==(const OutcomeCounts&, const OutcomeCounts&) = default;
};

/// A campaign whose rows must be removed.
struct CampaignToClean {
    model::CampaignId campaign;
    model::AccountId account;

    bool operator==(const CampaignToClean&) const = default;
};

/// The part of Reader for campaigns; its rules and errors apply here too.
class CampaignReader {
public:
    virtual ~CampaignReader() = default;

    /// Of the accounts of these shards, those that are scheduled, running or paused, cancelled ones
    /// until their last row has ended, and drafts with staged rows. Few enough for memory.
    [[nodiscard]] virtual Result<std::vector<model::Campaign>> open_campaigns(
        const ShardSet& shards) = 0;
    [[nodiscard]] virtual Result<std::optional<model::Campaign>> campaign(model::CampaignId id) = 0;
    /// Leaves out campaigns that cannot be read, which the store's condition notes.
    [[nodiscard]] virtual Result<std::vector<model::Campaign>> campaigns(
        const CampaignFilter& filter) = 0;
    /// Of the accounts of these shards, campaigns with staged rows, and removed ones, whose rows
    /// `remove_rows` must remove.
    [[nodiscard]] virtual Result<std::vector<CampaignToClean>> campaigns_to_clean(
        const ShardSet& shards) = 0;
    /// Of the accounts of these shards, campaigns whose webhook was not notified of their present
    /// state.
    [[nodiscard]] virtual Result<std::vector<model::Campaign>> campaigns_to_notify(
        const ShardSet& shards) = 0;

    /// In the order of rows. This, `pending_rows` and `queued_rows` leave out rows that cannot be
    /// read, which the store's condition notes.
    [[nodiscard]] virtual Result<RecipientPage> recipients(const RecipientFilter& filter) = 0;
    /// Pending rows after `after_row`, found without reading the others.
    [[nodiscard]] virtual Result<std::vector<model::Recipient>> pending_rows(
        model::CampaignId id, std::uint32_t after_row, std::size_t limit) = 0;
    /// The same of queued rows.
    [[nodiscard]] virtual Result<std::vector<model::Recipient>> queued_rows(model::CampaignId id,
                                                                            std::uint32_t after_row,
                                                                            std::size_t limit) = 0;
    [[nodiscard]] virtual Result<std::optional<model::Recipient>> recipient(model::CampaignId id,
                                                                            std::uint32_t row) = 0;
    /// The device from which a campaign of the account last sent to the number.
    [[nodiscard]] virtual Result<std::optional<model::PhoneNumber>> last_sender(
        model::AccountId account, model::PhoneNumber number) = 0;
    /// Why the row would be skipped if it were queued at `at`; none: it would not. Exclusion
    /// and frequency look at the 500 latest campaigns that have the number; frequency counts
    /// messages from the moment they are queued.
    [[nodiscard]] virtual Result<model::SkipReason> check_recipient(const model::Campaign& campaign,
                                                                    model::PhoneNumber number,
                                                                    Timestamp at) = 0;
    /// Its sums are those of CampaignCounts, and change with them.
    [[nodiscard]] virtual Result<OutcomeCounts> outcomes(model::CampaignId id) = 0;
    /// Counts from the rows themselves, for `doctor`. Reads all of them.
    [[nodiscard]] virtual Result<model::CampaignCounts> recount(model::CampaignId id) = 0;
};

}  // namespace merpati::store
