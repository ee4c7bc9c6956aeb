// Reads messages and callbacks, for those who look at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "store/message_filter.hpp"
#include "store/records.hpp"

namespace merpati::store {

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

/// The messages that wait for one device: all of them, or the first ones if there are many.
struct QueueSummary {
    std::uint64_t count = 0;  // Includes those in flight.
    bool has_more = false;    // More wait than were counted.
    std::optional<model::MessageId> oldest;
    std::optional<Timestamp> oldest_accepted_at;
    std::optional<Timestamp> due_from;  // The earliest due time, in queue time.
};

/// Where ListReader::walk_lane continues: behind this row of the lane.
struct LanePlace {
    std::int64_t bucket = -1;  // -1: before the first.
    std::int64_t sequence = -1;
};
struct LaneStep {
    std::vector<QueuedMessage> messages;
    std::optional<LanePlace> next;  // Empty: the lane has ended.
};

/// For the management API and the command line; lists have the newest first. Rare rows (those of
/// one account, failed, held, exhausted) are found without reading the others. Errors: those of
/// Reader.
class ListReader {
public:
    virtual ~ListReader() = default;

    [[nodiscard]] virtual Result<std::optional<MessageRecord>> message(model::MessageId id) = 0;
    /// A page reads a bounded number of rows, so that searches for rare messages return quickly. A
    /// page that is short or empty is therefore not always the last: see MessagePage::next.
    [[nodiscard]] virtual Result<MessagePage> messages(const MessageFilter& filter) = 0;
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

    /// At most `limit` messages of a lane that were accepted until `until` (queue time), in the
    /// order of the disk, from `from` on. A step passes over at most
    /// LaneReader::step_rows_max others, so it may find fewer, and still have a next one. A message
    /// that is put back behind the place is met again.
    [[nodiscard]] virtual Result<LaneStep> walk_lane(model::PhoneNumber device,
                                                     model::Source source, LanePlace from,
                                                     Timestamp until, std::size_t limit) = 0;
    /// Counts at most `most` messages: the first by source and due time.
    [[nodiscard]] virtual Result<QueueSummary> queue_of(model::PhoneNumber device,
                                                        std::uint64_t most) = 0;
    /// The number of waiting messages in all lanes; `most` if there are more. Costs a step for each
    /// that it counts.
    [[nodiscard]] virtual Result<std::uint64_t> waiting_messages(std::uint64_t most) = 0;
};

}  // namespace merpati::store
