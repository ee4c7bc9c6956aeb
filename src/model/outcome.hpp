// Outcomes of attempts, later statuses, and the end of a message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/message.hpp"

namespace merpati::model {

/// The codes of status callbacks, and 500 for every failure without one (docs/api.md, Callbacks).
enum class StatusCode : std::uint16_t {
    sent = 200,
    failed = 500,
    recipient_unregistered = 1001,
    recipient_invalid = 1002,
    media_refused = 1003,
};

/// A connector's report on one attempt. `details` goes to the caller in the callback, and must not
/// contain message text. The scheduler replaces an empty one.
struct Outcome {
    enum class Kind : std::uint8_t {
        sent,         // The platform has it for good.
        accepted,     // The platform accepted it as `platform_id`, and reports the result later.
        failed,       // Refused for good; `code` says why.
        retry,        // A passing failure: try again, not before `retry_after`.
        device_down,  // The device cannot send now; the whole lane pauses. Costs no attempt.
        restricted,   // The device may not begin this chat before `restricted_until`: only this
                      // message waits. Costs no attempt, no gap and nothing of a cap.
        unknown,      // The platform may have it: the connection was lost in mid-send.
    };
    Kind kind = Kind::failed;
    StatusCode code = StatusCode::failed;
    std::string details;
    std::string platform_id;  // The platform's message id, if it gave one.
    /// The wait that the platform asked for; only for retry, and for device_down: the lane is not
    /// tried before.
    std::optional<Millis> retry_after;
    /// Only for unknown: the connector's program ended, or was killed, while it had the message.
    /// The message may be the cause.
    bool crashed = false;
    Timestamp restricted_until{};  // By the wall clock; only for restricted.
    /// Only for accepted: how the message ends without a status by `decide_within`.
    enum class Undecided : std::uint8_t {
        unknown,  // It fails, because nobody knows.
        sent,     // The platform's acceptance is enough.
    };
    Undecided undecided = Undecided::unknown;
    Millis decide_within{60'000};
    /// Only for unknown: for how long a status that names the message may still decide. Until then
    /// the message waits outside of its lane; then the account's choice for deliveries decides.
    std::optional<Millis> status_within{};
    /// Only for unknown: it is held whatever the account has chosen, because no status can come.
    bool hold_unknown = false;
    /// Only for retry: the same message goes once more at once, as the device's fallback template,
    /// which counts as no attempt.
    bool as_template = false;
    /// Only for accepted, and for unknown with `status_within`: what the recipient reads, if the
    /// message went as a template. Null: as a text or media, or the template's text is not known.
    std::shared_ptr<const SentTemplate> sent_as{};
};

/// What becomes of a message whose platform reports no status in time. Stored as a number: append
/// only.
enum class WithoutStatus : std::uint8_t {
    failed,    // It fails, because nobody knows.
    sent,      // The platform's acceptance is enough.
    repeated,  // The answer to its send was lost: it goes back to its lane.
    held,      // The same, but it must not be sent twice: a person decides.
};

/// How far a message has come on its platform, ascending. Statuses may come late, twice and in any
/// order; one below the recorded progress changes nothing. Stored as a number: append only.
enum class Progress : std::uint8_t { sent = 1, failed, delivered, read };
[[nodiscard]] std::string_view to_string(Progress progress) noexcept;

/// A failure that does not end its message, which goes back to its lane. Stored as a number: append
/// only.
struct PassingFailure {
    enum class Kind : std::uint8_t { retry, as_template, device_down, restricted };
    Kind kind = Kind::retry;
    std::optional<Timestamp> until{};  // Not before, by the wall clock; as the platform asked.
};

/// A status that a platform reports on a message after it accepted that.
struct PlatformStatus {
    Progress progress = Progress::sent;
    StatusCode code = StatusCode::failed;     // Why, if it failed.
    std::string details;                      // The platform's own words; may be empty.
    Timestamp at;                             // By the platform's clock.
    std::optional<PassingFailure> passing{};  // Only of `failed`.
};

/// No platform has longer ids.
constexpr std::size_t platform_id_bytes_max = 256;

/// The end of a message: what is stored, reported in the callback and shown.
struct Completion {
    MessageState state = MessageState::failed;  // sent, failed, cancelled or held
    StatusCode code = StatusCode::failed;
    std::string details;
    std::string platform_id;
    Timestamp finished_at;  // By the wall clock.
    std::uint32_t attempts = 0;
    std::optional<Millis> took{};  // From the start of its last attempt; empty: unknown.
    bool as_template = false;      // Outcome::as_template was reported of an attempt.
};

}  // namespace merpati::model
