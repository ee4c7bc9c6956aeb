// The records of a store.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "model/invitation.hpp"
#include "model/message.hpp"
#include "model/message_event.hpp"
#include "model/outcome.hpp"
#include "model/person.hpp"

namespace merpati::store {

/// A message that waits in its lane.
struct QueuedMessage {
    std::unique_ptr<model::Message> message;
    Timestamp queued_at;  // Time of the next attempt; orders the queue.
    std::uint32_t attempts = 0;
    bool intent_recorded = false;            // A send was about to begin (Intent).
    std::optional<Timestamp> failing_since;  // The first attempt that failed for a passing reason.
    std::uint32_t crashes = 0;               // Attempts that ended as Outcome::crashed.
    bool perhaps_sent = false;               // An attempt ended as Outcome::Kind::unknown.
    bool as_template = false;                // Outcome::as_template was reported of an attempt.
};

/// Whether the caller of a reader already has the id in memory. Such rows are not loaded again.
using Known = std::function<bool(const Uuid&)>;

/// A lane with waiting messages.
struct LaneSummary {
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp due_from;  // A lower bound: no message in the lane is due before this.
};

/// What a paced device has sent. All times are queue time (base/queue_clock.hpp).
struct SentRecord {
    Timestamp last_at;         // Of the last send.
    Millis jitter{0};          // Drawn for the last send.
    Timestamp day_ends_at;     // End of the day that `of_day` counts.
    std::uint32_t of_day = 0;  // Sends of that day.
    friend bool operator==(const SentRecord&, const SentRecord&) = default;
};

/// The state of a device's lanes that survives a restart.
struct LaneRecord {
    model::PhoneNumber device;
    std::optional<Timestamp> down_since;  // Since when the device cannot send (queue time).
    std::optional<SentRecord> sent;       // Only of a device that has, or had, a pace.
};

/// What the store holds of a device's lane.
struct LaneStart {
    model::PhoneNumber device;
    /// By source: as LaneSummary::due_from; empty: nothing waits.
    std::array<std::optional<Timestamp>, 2> due_from{};
    std::optional<LaneRecord> record{};
};

/// A message with its state.
struct MessageRecord {
    model::Message message;
    model::MessageState state = model::MessageState::pending;
    Timestamp queued_at;  // While it waits: time of the next attempt. Handed over: decide_by.
    std::uint32_t attempts = 0;
    std::string platform_id;                      // While it is handed over.
    std::string last_details;                     // Of the last passing failure, while it waits.
    std::optional<model::Completion> completion;  // Once it has ended, or is held.
};

/// The steps of a message that its record does not show.
struct MessageTrail {
    std::vector<model::MessageEvent> events;  // By number.
    std::optional<Timestamp> handed_over_at;  // By the wall clock.
    /// As it was handed over; empty: not as a template, or its text is not known.
    std::optional<model::SentTemplate> sent_as;
};

/// A message that was handed over to its platform.
struct PlatformMessage {
    model::Message message;
    std::string platform_id;  // Empty: the answer was lost, and no status has named the message.
    std::uint32_t attempts = 0;
    bool perhaps_sent = false;                    // An earlier attempt ended as unknown.
    std::optional<Timestamp> decide_by;           // Queue time; empty once it has ended.
    std::optional<model::PlatformStatus> status;  // The furthest status that was reported.
    /// The status came before the hand-over and named the message (Tables::name_message).
    bool named_early = false;
    model::WithoutStatus without_status = model::WithoutStatus::failed;
    std::optional<Timestamp> failing_since{};  // As in QueuedMessage.
    std::uint32_t crashes = 0;                 // The same.
    bool as_template = false;                  // The same.
};

/// What the record of a status has changed and found.
struct NotedStatus {
    bool is_news = false;  // False: one at least as far was recorded before.
    /// Of news, as Tables::find_platform_message finds it.
    std::optional<PlatformMessage> message{};
};

/// What a status found that names a message by the gateway's id.
enum class Named : std::uint8_t {
    nothing,   // No message of the device, or one that has ended or has another platform id.
    awaiting,  // The answer to its send was lost: it has the status's platform id from now on.
    in_lane,   // Its send has no outcome yet. If its answer is lost, the status counts.
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
    Timestamp due_from;  // Of the earliest callback.
};

/// An Idempotency-Key of a caller, and the answer to the first request that used it.
struct IdempotencyRecord {
    model::AccountId account;
    std::string key;
    Sha256 fingerprint{};                     // Of operation and body (Fingerprints).
    std::optional<model::MessageId> message;  // For sends.
    std::uint16_t status = 0;                 // Of the first answer; 0: not given yet.
    std::string answer;                       // The body of the first answer.
    Timestamp created_at;

    /// How long a key is remembered (decisions.md).
    static constexpr std::chrono::hours kept{24};

    /// False: the key has expired, although retention may not have removed it yet.
    [[nodiscard]] bool holds(Timestamp now) const noexcept { return now < created_at + kept; }
};

/// A value that a connector keeps for a device.
struct DeviceSecret {
    std::string name;
    Bytes value;
};

/// The media of a message that a device received, until retention removes it.
struct ReceivedMedia {
    Uuid id;
    model::PhoneNumber device;
    std::string platform_id;  // Of the message.
    // From the platform, written by a stranger: do not trust them.
    std::string mime;
    std::uint64_t bytes = 0;  // 0: unknown.
    std::string name;
    std::string reference;  // Opaque; given back to the connector. Encrypted in the store.
};

/// A key that was removed, as last stored.
struct KeyRemoved {
    model::ApiKey key;
};

/// A summary of messages, by which searches skip them: made by UpkeepReader::summarise, stored by
/// Tables::put_summary of the same engine.
class MessageSummary {
public:
    MessageSummary() = default;
    MessageSummary(const MessageSummary&) = delete;
    MessageSummary& operator=(const MessageSummary&) = delete;
    virtual ~MessageSummary() = default;
};

/// A device as it is now: added or changed.
struct DeviceWritten {
    model::Device device;
    bool is_new = false;
    bool has_new_access = false;  // Its ids or secrets of the official platform were written.
};

/// A device that was removed, as last stored.
struct DeviceRemoved {
    model::Device device;
};

/// A person who was removed, as last stored. All of the person's sessions have ended.
struct PersonRemoved {
    model::Person person;
};

/// An invitation that was made, or was removed.
struct InvitationChanged {
    model::Invitation invitation;
    bool removed = false;
};

/// A session that ended, as last stored.
struct SessionEnded {
    model::Session session;
};

/// A campaign as it is now. Shared, because several rooms follow it.
struct CampaignWritten {
    std::shared_ptr<const model::Campaign> campaign;
};

/// A campaign that was removed, as last stored.
struct CampaignRemoved {
    model::CampaignId campaign;
    model::AccountId account;
};

/// A row of the directory, by its id.
struct DirectoryRow {
    enum class Kind : std::uint8_t { account, key, device, person, session };

    Kind kind = Kind::account;
    std::int64_t id = 0;  // A device's number.

    friend auto operator<=>(const DirectoryRow&, const DirectoryRow&) = default;
};

/// A row that a committed change wrote, from which copies in memory are updated. Accounts, keys,
/// persons and sessions are as they are now; a callback is new and waits to be delivered.
using RowChange =
    std::variant<model::Account, model::ApiKey, KeyRemoved, DeviceWritten, DeviceRemoved,
                 model::Callback, model::Person, PersonRemoved, model::Session, SessionEnded,
                 InvitationChanged, CampaignWritten, CampaignRemoved>;

/// The row of the directory that was written or removed; empty: it is of none of its tables.
[[nodiscard]] std::optional<DirectoryRow> directory_row_of(const RowChange& change);

}  // namespace merpati::store
