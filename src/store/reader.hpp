// Reading committed rows, concurrently with the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/idempotency.hpp"
#include "store/lane_record.hpp"

namespace merpati::store {

/// A waiting message, as its lane needs it.
struct QueuedMessage {
    std::unique_ptr<model::Message> message;
    Timestamp queued_at;  // Time of the next attempt; its place in the queue.
    std::uint32_t attempts = 0;
    bool intent_recorded = false;  // A send was about to start when this was last written.
    std::optional<Timestamp> failing_since;  // Its first attempt that failed for a passing reason.
};

/// A device with waiting work.
struct LaneSummary {
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp due_from;  // Nothing in the lane is due before this (a lower bound, not exact).
};

struct QueuedCallback {
    model::Callback callback;
    model::CallbackProgress progress;
};

/// One account's callbacks for one origin: the unit of queueing, attempts and health.
struct Endpoint {
    model::AccountId account;
    std::int64_t origin_key = 0;

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// An origin of an account, with waiting callbacks.
struct OriginSummary {
    std::int64_t origin_key = 0;
    Timestamp due_from;  // Of the earliest.
};

/// A message with everything known of it.
struct MessageRecord {
    model::Message message;
    model::MessageState state = model::MessageState::pending;
    Timestamp queued_at;  // While it waits: time of the next attempt; handed over: decide_by.
    std::uint32_t attempts = 0;
    std::string platform_id;                      // While it is handed over.
    std::string last_details;                     // Of the last passing failure, while it waits.
    std::optional<model::Completion> completion;  // Once it ended, or is held.
};

struct MessageFilter {
    std::optional<model::AccountId> account;
    std::optional<model::MessageState> state;
    std::optional<model::MessageId> before;  // Cursor: the last one of the page before.
    std::size_t limit = 50;
};

struct CallbackFilter {
    std::optional<model::AccountId> account;
    std::optional<model::CallbackState> state;
    std::optional<model::MessageId> message;
    std::optional<model::EventId> before;
    std::size_t limit = 50;
};

/// Answers whether the caller holds an id in memory already, so that it is not loaded again.
using Known = std::function<bool(const Uuid&)>;

/// The part of a Reader that the scheduler uses. On disk a lane's queue is ordered by (due time in
/// steps of 16 s, order of acceptance), which keeps it compact.
class LaneReader {
public:
    virtual ~LaneReader() = default;

    [[nodiscard]] virtual Result<std::vector<LaneSummary>> lanes() = 0;
    [[nodiscard]] virtual Result<std::vector<LaneRecord>> lane_records() = 0;

    /// The first `limit` messages of the lane due before `before`, by (due time, acceptance),
    /// leaving out those the caller knows. Fewer than `limit`: there are no more. Of a step that
    /// holds more delayed messages than `step_rows_max`, the first of so many that were accepted
    /// first: a read is bounded.
    [[nodiscard]] virtual Result<std::vector<QueuedMessage>> load_lane(model::PhoneNumber device,
                                                                       model::Source source,
                                                                       Timestamp before,
                                                                       std::size_t limit,
                                                                       const Known& known) = 0;

    static constexpr std::size_t step_rows_max = 32'768;

    /// A lower bound of the due times at or after `from`; empty when nothing waits there.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_due(model::PhoneNumber device,
                                                                    model::Source source,
                                                                    Timestamp from) = 0;
};

/// A read-only connection that never checkpoints. It sees everything that was committed before the
/// call. One thread at a time; open one per thread.
///
/// Errors of every method: store_failed.
class Reader : public LaneReader {
public:
    // Start-up and lists. Few enough to be held in memory.
    [[nodiscard]] virtual Result<std::vector<model::Account>> accounts() = 0;
    [[nodiscard]] virtual Result<std::vector<model::ApiKey>> keys() = 0;
    [[nodiscard]] virtual Result<std::vector<model::Device>> devices() = 0;
    [[nodiscard]] virtual Result<std::optional<model::Account>> account(model::AccountId id) = 0;

    /// The highest sequence of any id in the store; new ids must be above it.
    [[nodiscard]] virtual Result<std::int64_t> last_sequence() = 0;

    /// The distance of queue time from the wall clock (QueueClock::begin); 0 where none is stored.
    [[nodiscard]] virtual Result<Millis> clock_offset() = 0;

    // Callbacks, queued per account and origin. Each answer costs one look into the index an
    // element, however many callbacks wait.
    /// The accounts with waiting callbacks.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> callback_accounts() = 0;
    /// At most `limit` of the account's origins with waiting callbacks, ordered by key, those after
    /// `after` (empty: from the first). Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<OriginSummary>> callback_origins(
        model::AccountId account, std::optional<std::int64_t> after, std::size_t limit) = 0;
    /// At most `limit` callbacks due before `before`, by due time, leaving out those the caller
    /// knows. Fewer than `limit`: there are no more.
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> load_callbacks(
        const Endpoint& endpoint, Timestamp before, std::size_t limit, const Known& known) = 0;
    /// The first due time at or after `from`; empty when nothing waits there.
    [[nodiscard]] virtual Result<std::optional<Timestamp>> next_callback_due(
        const Endpoint& endpoint, Timestamp from) = 0;

    // For people and the management API; newest first. What is rare (one account's, failed, held,
    // parked) is found without passing over all the rest; an account's rare states, and what has
    // waited longest behind many, cost about 0.2 s a million rows that lie between.
    [[nodiscard]] virtual Result<std::optional<MessageRecord>> message(model::MessageId id) = 0;
    [[nodiscard]] virtual Result<std::vector<MessageRecord>> messages(
        const MessageFilter& filter) = 0;
    [[nodiscard]] virtual Result<std::optional<QueuedCallback>> callback(model::EventId id) = 0;
    [[nodiscard]] virtual Result<std::vector<QueuedCallback>> callbacks(
        const CallbackFilter& filter) = 0;
    [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> idempotency(
        model::AccountId account, std::string_view key) = 0;

    /// Messages that wait, over all lanes. Walks the queue: for start-up and `doctor`.
    [[nodiscard]] virtual Result<std::uint64_t> waiting_messages() = 0;
};

}  // namespace merpati::store
