// Reads committed rows, concurrently with the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "store/ledger.hpp"
#include "store/message_filter.hpp"
#include "store/records.hpp"
#include "store/usage.hpp"

namespace merpati::store {

class CampaignReader;
class PeopleReader;

struct CallbackFilter {
    std::optional<model::AccountId> account;
    std::optional<model::CallbackState> state;
    std::optional<model::MessageId> message;  // The callback that its completion names.
    std::optional<Timestamp> since{};         // Of creation, in queue time.
    std::optional<Timestamp> until{};
    std::optional<model::EventId> before;
    std::size_t limit = 50;
};

struct CallbackPage {
    std::vector<QueuedCallback> records;
    /// `before` of the next page, as in MessagePage.
    std::optional<model::EventId> next;
};

/// Where Reader::summarise continues.
struct SummaryPlace {
    std::int64_t newest_seen = 0;   // The newest message when too few were left to summarise.
    std::int64_t revisited_to = 0;  // The last summary that was looked at again; 0: a round begins.
};
struct SummaryStep {
    std::unique_ptr<MessageSummary> summary;  // Null: none is due.
    std::size_t read = 0;                     // Messages; 0 and no summary: nothing to do for now.
};

/// The messages that wait for one device: all of them, or the first ones if there are many.
struct QueueSummary {
    std::uint64_t count = 0;  // Includes those in flight.
    bool has_more = false;    // More wait than were counted.
    std::optional<model::MessageId> oldest;
    std::optional<Timestamp> oldest_accepted_at;
    std::optional<Timestamp> due_from;  // The earliest due time, in queue time.
};

/// Where Reader::walk_lane continues: behind this row of the lane.
struct LanePlace {
    std::int64_t bucket = -1;  // -1: before the first.
    std::int64_t sequence = -1;
};
struct LaneStep {
    std::vector<QueuedMessage> messages;
    std::optional<LanePlace> next;  // Empty: the lane has ended.
};

/// Whether the caller already has the id in memory. Such rows are not loaded again.
using Known = std::function<bool(const Uuid&)>;

/// The part of a Reader that the scheduler uses. On disk a lane's queue is ordered by (bucket,
/// acceptance), where a bucket is 16 s of due times; this keeps a lane's rows close together.
class LaneReader {
public:
    virtual ~LaneReader() = default;

    [[nodiscard]] virtual Result<std::vector<LaneSummary>> lanes() = 0;
    [[nodiscard]] virtual Result<std::vector<LaneRecord>> lane_records() = 0;
    /// Empty: the device has none.
    [[nodiscard]] virtual Result<std::optional<LaneRecord>> lane_record(
        model::PhoneNumber device) = 0;

    /// The first `limit` messages of the lane that are due before `before`, by (due time,
    /// acceptance), without those in `known`. Fewer than `limit`: there are no more. To bound a
    /// read, it and `next_due` pass over at most `step_rows_max` messages of a bucket and ignore
    /// the rest, which were accepted later, at most until the bucket's 16 s have passed.
    [[nodiscard]] virtual Result<std::vector<QueuedMessage>> load_lane(model::PhoneNumber device,
                                                                       model::Source source,
                                                                       Timestamp before,
                                                                       std::size_t limit,
                                                                       const Known& known) = 0;

    static constexpr std::size_t step_rows_max = 32'768;

    /// A lower bound of the due times at or after `from`; empty: no message is due then.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_due(model::PhoneNumber device,
                                                                    model::Source source,
                                                                    Timestamp from) = 0;

    /// Where the message waits in its lane; `message` of the result is null. Empty: it has left the
    /// lane.
    [[nodiscard]] virtual Result<std::optional<QueuedMessage>> find_queued(
        const model::Message& message) = 0;
};

/// A read-only connection that never checkpoints. A call sees everything that was committed before
/// it.
///
/// Threads: one at a time; open a reader for each thread.
///
/// Errors of every method: store_failed; damaged (the rows cannot be read); unavailable.
class Reader : public LaneReader {
public:
    /// People, sessions and the audit log (store/people.hpp). Lives as long as the reader.
    [[nodiscard]] virtual PeopleReader& people() noexcept = 0;
    /// Campaigns, contacts and suppressions (store/campaigns.hpp). Lives as long as the reader.
    [[nodiscard]] virtual CampaignReader& campaigns() noexcept = 0;

    // All rows: few enough for memory. Errors of `accounts` and `account`: also conflict (a secret
    // was encrypted with another key).
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts() = 0;
    [[nodiscard]] virtual Result<std::vector<model::ApiKey>> keys() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Device>> devices() = 0;
    [[nodiscard]] virtual Result<std::optional<model::Account>> account(model::AccountId id) = 0;
    /// At most `limit` accounts after `after` (empty: from the first), by id.
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts_after(
        std::optional<model::AccountId> after, std::size_t limit) = 0;

    /// The highest sequence of any id in the store; new ids must be above it.
    [[nodiscard]] virtual Result<std::int64_t> last_sequence() = 0;

    /// The offset of queue time from the wall clock (QueueClock::begin); 0: none is stored.
    [[nodiscard]] virtual Result<Millis> clock_offset() = 0;

    // Callbacks, queued by account and origin. A call costs one index search for each element that
    // it returns, or skips as `known`, however many callbacks wait.
    /// The accounts with waiting callbacks.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> callback_accounts() = 0;
    /// The account's origins with waiting callbacks, by key, at most `limit` of those after `after`
    /// (empty: from the first). Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<OriginSummary>> callback_origins(
        model::AccountId account, std::optional<std::int64_t> after, std::size_t limit) = 0;
    /// At most `limit` callbacks due before `before`, by due time, without those in `known`. Fewer
    /// than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> load_callbacks(
        const Endpoint& endpoint, Timestamp before, std::size_t limit, const Known& known) = 0;
    /// The first due time at or after `from`; empty: no callback is due then.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_callback_due(
        const Endpoint& endpoint, Timestamp from) = 0;

    // For the management API and the command line; newest first. Rare rows (those of one account,
    // failed, held, exhausted) are found without reading the others.
    [[nodiscard]] virtual Result<std::optional<MessageRecord>> message(model::MessageId id) = 0;
    /// A page reads a bounded number of rows, so that searches for rare messages return quickly. A
    /// page that is short or empty is therefore not always the last: see MessagePage::next.
    [[nodiscard]] virtual Result<MessagePage> messages(const MessageFilter& filter) = 0;
    [[nodiscard]] virtual Result<std::optional<QueuedCallback>> callback(model::EventId id) = 0;
    /// A page reads a bounded number of rows, as one of `messages` does.
    [[nodiscard]] virtual Result<CallbackPage> callbacks(const CallbackFilter& filter) = 0;
    /// The recorded steps of the message; empty if there is no such message.
    [[nodiscard]] virtual Result<MessageTrail> trail(model::MessageId id) = 0;
    /// The stored attempts of a callback, the earliest first.
    [[nodiscard]] virtual Result<std::vector<model::CallbackAttempt>> attempts(
        model::EventId id) = 0;
    /// How many callbacks wait for the endpoint; counts no further than `most`.
    [[nodiscard]] virtual Result<std::size_t> callbacks_waiting(const Endpoint& endpoint,
                                                                std::size_t most) = 0;
    [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> idempotency(
        model::AccountId account, std::string_view key) = 0;

    /// At most `limit` messages of a lane that were accepted until `until` (queue time), in the
    /// order of the disk, from `from` on. A step passes over at most step_rows_max others, so it
    /// may find fewer, and still have a next one. A message that is put back behind the place is
    /// met again.
    [[nodiscard]] virtual Result<LaneStep> walk_lane(model::PhoneNumber device,
                                                     model::Source source, LanePlace from,
                                                     Timestamp until, std::size_t limit) = 0;
    /// Counts at most `most` messages: the first by source and due time.
    [[nodiscard]] virtual Result<QueueSummary> queue_of(model::PhoneNumber device,
                                                        std::uint64_t most) = 0;
    /// The account's ledger, newest row first; `before` is the number of the last row of the
    /// previous page.
    [[nodiscard]] virtual Result<std::vector<LedgerEntry>> ledger(
        model::AccountId account, std::optional<std::int64_t> before, std::size_t limit) = 0;
    /// Ended messages by day and the other requested columns, between `since` and `until`, of all
    /// accounts if none is named. Errors: refused (more than `usage_counts_max` stored counts: a
    /// count is of one device, hour and outcome).
    [[nodiscard]] virtual Result<std::vector<UsageRow>> usage(const UsageFilter& filter) = 0;
    static constexpr std::size_t usage_counts_max = 1'000'000;

    /// Makes the summary of the oldest `size` messages that have none; if there are fewer, renews
    /// one whose messages have ended since. Leaves alone messages accepted at `before` (queue time)
    /// or later: others with lower ids may still be stored. See Tables::put_summary.
    [[nodiscard]] virtual Result<SummaryStep> summarise(std::size_t size, Timestamp before,
                                                        SummaryPlace& place) = 0;

    /// A device's secrets after the name `after`, by name, until their size reaches `bytes_max`; at
    /// least one. Empty: there are no more. Errors: conflict (encrypted with another key).
    [[nodiscard]] virtual Result<std::vector<DeviceSecret>> device_secrets(
        model::PhoneNumber device, std::string_view after, std::size_t bytes_max) = 0;

    /// Empty: there is none, or it was removed with its device or by retention. Errors: conflict
    /// (encrypted with another key).
    [[nodiscard]] virtual Result<std::optional<ReceivedMedia>> received_media(const Uuid& id) = 0;

    /// The number of waiting messages in all lanes; `most` if there are more. Costs a step for each
    /// that it counts.
    [[nodiscard]] virtual Result<std::uint64_t> waiting_messages(std::uint64_t most) = 0;
};

}  // namespace merpati::store
