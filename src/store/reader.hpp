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

class PeopleReader;

struct CallbackFilter {
    std::optional<model::AccountId> account;
    std::optional<model::CallbackState> state;
    std::optional<model::MessageId> message;
    std::optional<Timestamp> since{};  // Of creation, in queue time.
    std::optional<Timestamp> until{};
    std::optional<model::EventId> before;
    std::size_t limit = 50;
};

/// What waits for one device, or what is said of the first ones of it.
struct QueueSummary {
    std::uint64_t count = 0;  // Those that are being sent too.
    bool has_more = false;    // Than were looked at.
    std::optional<model::MessageId> oldest;
    std::optional<Timestamp> oldest_accepted_at;
    std::optional<Timestamp> due_from;  // Of the next attempt, in queue time.
};

/// Whether the caller has the id in memory already, so that it is not loaded again.
using Known = std::function<bool(const Uuid&)>;

/// The part of a Reader that the scheduler uses. On disk a lane's queue is ordered by (due time in
/// steps of 16 s, acceptance), which keeps its rows close together.
class LaneReader {
public:
    virtual ~LaneReader() = default;

    [[nodiscard]] virtual Result<std::vector<LaneSummary>> lanes() = 0;
    [[nodiscard]] virtual Result<std::vector<LaneRecord>> lane_records() = 0;

    /// The first `limit` messages of the lane that are due before `before`, by (due time,
    /// acceptance), without those the caller knows. Fewer than `limit`: there are no more. A read
    /// is bounded: of a step with more than `step_rows_max` delayed messages, it considers only so
    /// many, those accepted first.
    [[nodiscard]] virtual Result<std::vector<QueuedMessage>> load_lane(model::PhoneNumber device,
                                                                       model::Source source,
                                                                       Timestamp before,
                                                                       std::size_t limit,
                                                                       const Known& known) = 0;

    static constexpr std::size_t step_rows_max = 32'768;

    /// A lower bound of the due times at or after `from`; empty: none waits there.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_due(model::PhoneNumber device,
                                                                    model::Source source,
                                                                    Timestamp from) = 0;
};

/// A read-only connection that never checkpoints. It sees everything that was committed before a
/// call.
///
/// Threads: one at a time; open one for each thread.
///
/// Errors of every method: store_failed; damaged (the rows cannot be read).
class Reader : public LaneReader {
public:
    /// People, sessions and the audit log (store/people.hpp). Lives as long as the reader.
    [[nodiscard]] virtual PeopleReader& people() noexcept = 0;

    // All of them: few enough for memory.
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts() = 0;
    [[nodiscard]] virtual Result<std::vector<model::ApiKey>> keys() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Device>> devices() = 0;
    [[nodiscard]] virtual Result<std::optional<model::Account>> account(model::AccountId id) = 0;

    /// The highest sequence of any id in the store; new ids must be above it.
    [[nodiscard]] virtual Result<std::int64_t> last_sequence() = 0;

    /// The distance of queue time from the wall clock (QueueClock::begin); 0: none is stored.
    [[nodiscard]] virtual Result<Millis> clock_offset() = 0;

    // Callbacks, queued by account and origin. Each call costs one index search for each element
    // that it returns, however many callbacks wait.
    /// The accounts with waiting callbacks.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> callback_accounts() = 0;
    /// At most `limit` of the account's origins with waiting callbacks, ordered by key, those after
    /// `after` (empty: from the first). Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<OriginSummary>> callback_origins(
        model::AccountId account, std::optional<std::int64_t> after, std::size_t limit) = 0;
    /// At most `limit` callbacks due before `before`, by due time, without those the caller knows.
    /// Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> load_callbacks(
        const Endpoint& endpoint, Timestamp before, std::size_t limit, const Known& known) = 0;
    /// The first due time at or after `from`; empty: none waits there.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_callback_due(
        const Endpoint& endpoint, Timestamp from) = 0;

    // For the management API and the command line; newest first. Rare rows (those of one account,
    // failed, held, exhausted) are found without reading the others.
    [[nodiscard]] virtual Result<std::optional<MessageRecord>> message(model::MessageId id) = 0;
    /// A page reads a bounded number of rows, so that it is answered at once however rare the
    /// messages are that it looks for: it may be short, or empty, and not be the last.
    [[nodiscard]] virtual Result<MessagePage> messages(const MessageFilter& filter) = 0;
    [[nodiscard]] virtual Result<std::optional<QueuedCallback>> callback(model::EventId id) = 0;
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> callbacks(
        const CallbackFilter& filter) = 0;
    /// What the message went through; nothing of one that is not there.
    [[nodiscard]] virtual Result<MessageTrail> trail(model::MessageId id) = 0;
    /// What is kept of a callback's attempts, the earliest first.
    [[nodiscard]] virtual Result<std::vector<model::CallbackAttempt>> attempts(
        model::EventId id) = 0;
    /// How many callbacks wait for the endpoint; counts no further than `most`.
    [[nodiscard]] virtual Result<std::size_t> callbacks_waiting(const Endpoint& endpoint,
                                                                std::size_t most) = 0;
    [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> idempotency(
        model::AccountId account, std::string_view key) = 0;

    /// Looks at `most` messages, however many wait: the first by source and due time.
    [[nodiscard]] virtual Result<QueueSummary> queue_of(model::PhoneNumber device,
                                                        std::uint64_t most) = 0;
    /// The account's book, newest row first; `before` is the number of the last row of the page
    /// before.
    [[nodiscard]] virtual Result<std::vector<LedgerEntry>> ledger(
        model::AccountId account, std::optional<std::int64_t> before, std::size_t limit) = 0;
    /// By day and the other columns that were asked for. Reads the hours between `since` and
    /// `until`, of all accounts where none is named.
    [[nodiscard]] virtual Result<std::vector<UsageRow>> usage(const UsageFilter& filter) = 0;

    /// What a connector keeps for a device, by name, after the name `after`: as much as has
    /// `bytes_max` bytes, but one at least. Empty: there is no more. Errors: conflict (it was
    /// encrypted with another key).
    [[nodiscard]] virtual Result<std::vector<DeviceSecret>> device_secrets(
        model::PhoneNumber device, std::string_view after, std::size_t bytes_max) = 0;

    /// Empty: there is none, or it was removed with its device or by retention. Errors: conflict
    /// (it was encrypted with another key).
    [[nodiscard]] virtual Result<std::optional<ReceivedMedia>> received_media(const Uuid& id) = 0;

    /// Waiting messages in all lanes. Reads the whole queue: for start-up and `doctor`.
    [[nodiscard]] virtual Result<std::uint64_t> waiting_messages() = 0;
};

}  // namespace merpati::store
