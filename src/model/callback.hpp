// Notices to callers' endpoints: callbacks about messages, webhooks of devices and campaigns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::model {

/// Stored as a number: append only.
enum class CallbackKind : std::uint8_t { message_status, device_event, campaign_event };

///   waiting -> delivered | exhausted | gone
///   exhausted | gone | delivered -> waiting   (replay by hand)
/// Stored as a number: append only.
enum class CallbackState : std::uint8_t {
    waiting,    // Due now or later.
    delivered,  // Answered 2xx.
    exhausted,  // Every attempt of the back-off table failed; kept and replayable.
    gone,       // The receiver said 410; kept and replayable.
};
[[nodiscard]] std::string_view to_string(CallbackState state) noexcept;
[[nodiscard]] std::optional<CallbackState> parse_callback_state(std::string_view word) noexcept;

/// One event for one endpoint. Its body was serialised once; the same bytes are signed and sent on
/// every attempt.
struct Callback {
    EventId id;  // The `webhook-id`, or in a batch the event's `id`.
    AccountId account;
    CallbackKind kind = CallbackKind::message_status;
    std::optional<MessageId> message;  // The message that it reports, for message_status.
    std::string url;
    /// Hash of the URL's origin. Waiting callbacks are queued per account and origin, so that a
    /// failing endpoint delays no other one.
    std::int64_t origin_key = 0;
    std::string body;
    Timestamp created_at;  // Queue time; the first attempt is due then.
};

/// A request that carried several events, or might have (docs/api.md, Callbacks in batches).
struct PostedBatch {
    Uuid id;  // The `webhook-id` of the request.
    std::uint32_t events = 0;
    friend bool operator==(const PostedBatch&, const PostedBatch&) = default;
};

/// How far the delivery of a callback has come.
struct CallbackProgress {
    CallbackState state = CallbackState::waiting;
    std::uint32_t attempts = 0;
    Timestamp due_at;               // Of the next attempt, while waiting.
    std::uint16_t last_status = 0;  // HTTP status of the last attempt; 0: no answer.
    std::string last_error;         // For people: "timed out", "refused: private address".
    Timestamp updated_at;
    std::optional<PostedBatch> batch{};  // Of the last attempt; empty: it was posted alone.
};

/// One attempt to deliver a callback.
struct CallbackAttempt {
    std::uint32_t number = 0;            // From 1, over all replays.
    Timestamp at;                        // When it ended.
    std::optional<Millis> took;          // Empty: a former version did not record it.
    std::uint16_t status = 0;            // 0: no answer.
    std::string error;                   // As CallbackProgress::last_error.
    std::string answer;                  // The beginning of the receiver's body, printable UTF-8.
    std::optional<Timestamp> retry_at;   // When the next one is due; empty: none is.
    std::optional<PostedBatch> batch{};  // As CallbackProgress::batch.

    static constexpr std::size_t answer_bytes_max = 1'024;
};

}  // namespace merpati::model
