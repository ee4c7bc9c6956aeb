// The tables, as a Change reads and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/device_identity.hpp"
#include "store/ledger.hpp"
#include "store/records.hpp"

namespace merpati::store {

class CampaignTables;
class PeopleTables;
struct Accept;
struct Reschedule;

/// Retention removes everything older than these times.
struct PruneLimits {
    // Queue time (base/queue_clock.hpp), like ids and idempotency records.
    Timestamp messages_before;  // Messages in a final state whose callback does not wait.
    Timestamp idempotency_before;
    Timestamp platform_events_before;  // Reports of platforms; a later repeat counts as new.
    Timestamp received_media_before;   // References by which received media are downloaded.
    // Wall clock.
    Timestamp sessions_seen_before;
    Timestamp sessions_begun_before;
    Timestamp links_expired_before;
    Timestamp audit_before;
    Timestamp keys_before{};    // Keys that were revoked, or have expired.
    Timestamp usage_before{};   // Counts of whole hours.
    Timestamp ledger_before{};  // Rows of ledgers; their sums stay, in an opening row.
    /// QueueClock::offset, by which `messages_before` is compared with the ends of messages and
    /// callbacks, which are times of the wall clock.
    Millis clock_offset{0};
    // A step ends after `visits_max` rows, or when `is_over` says so (empty: never), so that it
    // delays no batch long. It visits one row at least.
    std::size_t visits_max = 5'000;
    std::function<bool()> is_over{};
    /// Begins a round, also if the last one is not complete, so that tables which had no old rows
    /// left in it are visited again.
    bool begins_round = false;
};

/// What a step of retention did.
struct PruneStep {
    std::size_t removed = 0;  // Rows, not counting those that belong to them.
    bool complete = false;    // No table has old rows left: the round is complete.
};

/// New values of an account's fields; empty fields stay as they are.
struct AccountPatch {
    std::optional<std::string> name;
    std::optional<model::Plan> plan;
    std::optional<std::optional<Timestamp>> expires_at;  // Empty inside: never.
    std::optional<model::RateChoice> rate;
    std::optional<std::string> callback_url;
    std::optional<model::Delivery> delivery;
    std::optional<std::uint32_t> devices_max;
    std::optional<std::string> country;
    std::optional<std::optional<model::CallbackBatch>> callback_batch;  // Empty inside: none.
};

/// New values of a device's fields; empty fields stay as they are.
struct DevicePatch {
    std::optional<std::string> webhook_url;  // "": none.
    model::PacePatch pace;
    std::optional<std::optional<model::Pause>> pause;  // Empty inside: not paused.
    std::optional<Timestamp> resumed_at;
    std::optional<std::optional<model::QueueChoice>> after_pairing;
    std::optional<std::optional<model::DeviceState>> notified;
    std::optional<std::optional<Timestamp>> exported_at;  // Empty inside: not exported.
    // Of a device on the official platform. Whoever writes its secrets in the same change sets
    // `cloud`, also if the ids stay, so that the device begins to use them
    // (DeviceWritten::has_new_access).
    struct Cloud {
        std::optional<std::string> phone_number_id;
        std::optional<std::string> waba_id;  // "": none.
    };
    std::optional<Cloud> cloud;
    std::optional<std::string> fallback_template;  // "": none. Needs a phone_number_id.
};

using model::DeviceIdentity;

/// The result of adding a device.
struct DeviceDecision {
    enum class Result : std::uint8_t {
        added,
        known,  // The account had it; its webhook was changed if one was given.
        owned_by_another,
        no_room,  // The account has as many devices as it may have.
    };
    Result result = Result::added;
    model::Device device;  // As stored now; with `no_room`, as requested.
};

/// Operation: a change reads and writes inside one transaction, so a decision that it bases on rows
/// still holds when it commits. An update writes single fields, so that two changes of different
/// fields both survive. Written rows of accounts, keys, devices, people and sessions, and callbacks
/// that `add_callback` stored, are reported in WriteBatch::row_changes.
///
/// Threads: the committer's, and only while the change runs.
///
/// Errors of every method: those named; conflict where an account's secrets cannot be decrypted. A
/// failure of the store itself, or damage, ends the change with an exception, which a change must
/// not catch.
class Tables {
public:
    virtual ~Tables() = default;

    /// People, sessions and the audit log (store/people.hpp).
    [[nodiscard]] virtual PeopleTables& people() noexcept = 0;
    /// Campaigns, contacts and suppressions (store/campaigns.hpp).
    [[nodiscard]] virtual CampaignTables& campaigns() noexcept = 0;

    /// The rows that this change has written so far, as in WriteBatch::row_changes.
    [[nodiscard]] virtual std::span<const RowChange> written() const noexcept = 0;

    virtual Result<std::optional<model::Account>> find_account(model::AccountId id) = 0;
    /// Assigns the account's id and returns it.
    virtual Result<model::AccountId> create_account(const model::Account& account) = 0;
    /// Returns the updated account. Errors: not_found.
    virtual Result<model::Account> update_account(model::AccountId account,
                                                  const AccountPatch& patch) = 0;
    /// The previous secret signs beside the new one until `until`.
    /// Errors: not_found.
    virtual Result<void> rotate_webhook_secret(model::AccountId account, const Bytes& secret,
                                               Timestamp until) = 0;
    // Both add a row to the account's ledger if they change the balance.
    /// Empty: credit is no longer counted; the reserves of campaigns are given back before. Errors:
    /// not_found.
    virtual Result<void> set_credit(model::AccountId account, std::optional<std::int64_t> credit,
                                    const CreditNote& note) = 0;
    /// Adds to the balance (an uncounted one starts at 0) and returns the new one.
    /// Errors: not_found, invalid_argument (the balance would be negative or overflow).
    virtual Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount,
                                            const CreditNote& note) = 0;

    virtual Result<std::optional<model::ApiKey>> find_key(model::KeyId id) = 0;
    /// How many keys of the account are valid at `now`.
    virtual Result<std::size_t> count_live_keys(model::AccountId account, Timestamp now) = 0;
    /// An account keeps at most `keys_kept_max` keys that are not valid: the oldest are removed.
    virtual Result<model::KeyId> create_key(const model::ApiKey& key) = 0;
    static constexpr std::size_t keys_kept_max = 1'000;
    /// Revokes the key, unless it is revoked already. Returns the key as stored now.
    /// Errors: not_found.
    virtual Result<model::ApiKey> revoke_key(model::KeyId key, Timestamp at) = 0;
    /// The key expires at `at`, or earlier if it did before. Returns the updated key.
    /// Errors: not_found.
    virtual Result<model::ApiKey> expire_key(model::KeyId key, Timestamp at) = 0;

    virtual Result<std::optional<model::Device>> find_device(model::PhoneNumber number) = 0;
    /// Adds the device, if its number is free and its account has room. If the account already has
    /// it, changes only its webhook, and only if `webhook_given`.
    /// Errors: not_found (no such account), conflict (another device has its phone_number_id).
    virtual Result<DeviceDecision> add_device(const model::Device& device, bool webhook_given) = 0;
    /// Returns the updated device. Errors: not_found, conflict (another device has the
    /// phone_number_id), refused (the device has no phone_number_id and would need one).
    virtual Result<model::Device> update_device(model::PhoneNumber number,
                                                const DevicePatch& patch) = 0;
    /// Returns the updated device; empty: it was in that state already, and nothing was written.
    /// `restricted_until` is kept for the device, and part of its state. Errors: not_found, also if
    /// the number belongs to another device now.
    virtual Result<std::optional<model::Device>> set_device_state(
        const DeviceIdentity& device, model::DeviceState state, std::string_view reason,
        Timestamp since, std::optional<Timestamp> restricted_until = {}) = 0;
    /// Whether messages of the device wait or are in flight.
    virtual Result<bool> has_queue(model::PhoneNumber device) = 0;
    /// Removes the device with its secrets and received media. Errors: not_found, conflict
    /// (messages wait or are in flight; a running campaign names it).
    virtual Result<void> remove_device(model::PhoneNumber device) = 0;

    /// Sets since when the device cannot send (queue time); empty: it can.
    virtual Result<void> set_down_since(model::PhoneNumber device,
                                        std::optional<Timestamp> since) = 0;
    /// Removes the LaneRecord of a device that was removed.
    virtual Result<void> forget_lane(model::PhoneNumber device) = 0;

    /// Stores a callback that no Finish brings, such as those of device webhooks.
    virtual Result<void> add_callback(const model::Callback& callback) = 0;
    /// Makes a callback that has ended due at `due` (queue time) and counts its attempts from 0
    /// again. `at`: the present by the wall clock. The caller wakes its endpoint: the row is not
    /// reported. Errors: not_found, conflict (it waits).
    virtual Result<void> replay_callback(model::EventId event, Timestamp due, Timestamp at) = 0;

    /// Puts a held message back into its lane, due at `due` (queue time); it is perhaps_sent. `at`:
    /// the present by the wall clock. Errors: not_found, conflict (not held), refused (its device
    /// was removed, or belongs to another account now).
    virtual Result<void> release_message(model::MessageId message, Timestamp due, Timestamp at) = 0;

    /// Ends a held message with `completion`, except its attempts and platform id, which stay as
    /// they were. Refunds the message if it was charged, and stores the callback, which is not
    /// reported as a row. Errors: not_found, conflict (not held).
    virtual Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                                      const std::optional<model::Callback>& callback) = 0;

    // Values that a connector stores for a device, encrypted; removed with the device.
    static constexpr std::size_t secret_bytes_max = 1'048'576;
    static constexpr std::size_t secret_name_bytes_max = 256;
    static constexpr std::size_t device_secrets_max = 20'000;
    /// Empty: there is none. Errors: conflict (encrypted with another key).
    virtual Result<std::optional<Bytes>> device_secret(model::PhoneNumber device,
                                                       std::string_view name) = 0;
    /// Removes all secrets of the device.
    virtual Result<void> clear_device_secrets(model::PhoneNumber device) = 0;
    /// Empty: removes the secret. Errors: not_found (no such device), refused (a limit above).
    virtual Result<void> put_device_secret(model::PhoneNumber device, std::string_view name,
                                           const std::optional<Bytes>& value) = 0;
    /// Replaces all secrets of the device by these. Errors: as put_device_secret.
    virtual Result<void> replace_device_secrets(model::PhoneNumber device,
                                                const std::vector<DeviceSecret>& secrets) = 0;

    // Reports of platforms, identified by device and platform id.
    /// Records an inbound message. False: its id was recorded before.
    virtual Result<bool> note_inbound(model::PhoneNumber device, std::string_view platform_id,
                                      Timestamp now) = 0;
    /// Stores the reference by which the media are downloaded; removed with the device. Errors:
    /// not_found (no such device).
    virtual Result<void> keep_received_media(const ReceivedMedia& media) = 0;
    /// Records a status.
    virtual Result<NotedStatus> note_status(model::PhoneNumber device, std::string_view platform_id,
                                            const model::PlatformStatus& status, Timestamp now) = 0;
    /// A recorded status names a message by the gateway's id. Call it if no message was handed over
    /// with the platform's id. Counts only a message of the device and its account.
    virtual Result<Named> name_message(const model::Device& device, std::string_view platform_id,
                                       model::MessageId message) = 0;
    /// The message that was handed over with this id. Of several, the latest that has not ended;
    /// if all have ended, the latest.
    virtual Result<std::optional<PlatformMessage>> find_platform_message(
        model::PhoneNumber device, std::string_view platform_id) = 0;
    /// Messages that are handed over, with a `decide_by` of at most `until`, the earliest first. If
    /// there are more than `limit`, each device has some of its own, in turn from call to call. If
    /// a row is damaged, the change ends as damaged; later calls leave the message out.
    virtual Result<std::vector<PlatformMessage>> undecided(Timestamp until, std::size_t limit) = 0;
    /// The earliest `decide_by`; empty: no message is handed over.
    virtual Result<std::optional<Timestamp>> next_decide_by() = 0;
    /// Ends a message that is handed over, as a Finish does; the callback is not reported as a row.
    /// False: the message is not handed over.
    virtual Result<bool> end_handed_over(const model::Message& message,
                                         const model::Completion& completion,
                                         const std::optional<model::Callback>& callback) = 0;
    /// Puts a message that is handed over back into its lane; `queued_at` and `sent` are not used.
    /// Later statuses of the platform id that it had are not news. False: the message is not handed
    /// over.
    virtual Result<bool> return_to_lane(const Reschedule& place) = 0;
    /// Records a step of a message that is in the store.
    virtual Result<void> note_event(model::MessageId message, const model::MessageEvent& event) = 0;
    /// The account of the message; empty: there is no such message, or it is not of this device.
    virtual Result<std::optional<model::AccountId>> owner_of_message(
        model::MessageId message, std::optional<model::PhoneNumber> device) = 0;

    /// Stores a message as one of WriteBatch::accepts, so that a change may store many and decide
    /// by their results. Set Change::accepts.
    virtual void accept(Accept& accept) = 0;

    virtual Result<std::optional<IdempotencyRecord>> find_idempotency(model::AccountId account,
                                                                      std::string_view key) = 0;
    virtual Result<void> put_idempotency(const IdempotencyRecord& record) = 0;

    /// Stores QueueClock::offset for the next start.
    virtual Result<void> set_clock_offset(Millis offset) = 0;

    /// One small step of retention. Steps take the tables in turn, and each continues where the
    /// last one stopped, so that neither rows that cannot be removed yet nor a table with many old
    /// rows delay the others. The cost of a visit does not depend on how much is stored. The step
    /// after a complete round begins the next one.
    virtual Result<PruneStep> prune(const PruneLimits& limits) = 0;

    // The summaries by which searches (ListReader::messages) skip messages. A reader makes one
    // (UpkeepReader::summarise), so that no commit waits for it:
    /// Call in a change of its own before the reader is opened.
    virtual Result<void> begin_summary() = 0;
    /// Stores the summary. False: a message was stored since `begin_summary` that belongs to it, or
    /// it does not continue what is stored; nothing was written.
    virtual Result<bool> put_summary(const MessageSummary& summary) = 0;
    static constexpr std::size_t summary_size = 4'096;
};

}  // namespace merpati::store
