// The rare writes, one at a time, and what they are decided by; used inside a Change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/idempotency.hpp"
#include "store/platform_message.hpp"

namespace merpati::store {

/// What retention removes: everything that ended before these moments.
struct PruneLimits {
    // Queue time (base/queue_clock.hpp), like ids and what was created under a key.
    Timestamp messages_before;  // Messages in a final state, with no callback waiting.
    Timestamp idempotency_before;
    Timestamp platform_events_before;  // What platforms reported; a repeat is news after that.
    std::size_t rows_max = 500;        // One step's work, so that it never delays a batch for long.
};

/// New values of an account's fields; those left empty stay as they are.
struct AccountPatch {
    std::optional<std::string> name;
    std::optional<model::Plan> plan;
    std::optional<std::optional<Timestamp>> expires_at;  // Empty inside: never.
    std::optional<model::RateChoice> rate;
    std::optional<std::string> callback_url;
    std::optional<model::Delivery> delivery;
    std::optional<std::uint32_t> devices_max;
};

/// A device of one account's, told apart from a later one with its number.
struct DeviceIdentity {
    model::PhoneNumber number;
    model::AccountId account;
    Timestamp created_at;

    [[nodiscard]] static DeviceIdentity of(const model::Device& device) {
        return {
            .number = device.number, .account = device.account, .created_at = device.created_at};
    }
};

/// How the wish for a device was decided.
struct DeviceDecision {
    enum class Result : std::uint8_t {
        added,
        known,  // The account had it; its webhook was changed where that was asked for.
        owned_by_another,
        no_room,  // The account has its devices_max.
    };
    Result result = Result::added;
    model::Device device;  // As it is now; with `no_room`, as it was asked for.
};

/// Rows are read and written inside one transaction, so what a change decides by what it reads
/// holds when it commits. Fields are changed one by one: two changes of different fields both
/// survive. Rows of accounts, keys, devices and callbacks that were written are reported in
/// WriteBatch::row_changes.
///
/// Errors of every method: not_found and conflict as said, store_failed for everything else.
class Tables {
public:
    virtual ~Tables() = default;

    virtual Result<std::optional<model::Account>> find_account(model::AccountId id) = 0;
    /// Gives the account its id.
    virtual Result<model::AccountId> create_account(const model::Account& account) = 0;
    /// Answers the account as it is then. Errors: not_found.
    virtual Result<model::Account> update_account(model::AccountId account,
                                                  const AccountPatch& patch) = 0;
    /// The secret becomes the previous one, which signs beside the new one until `until`.
    /// Errors: not_found.
    virtual Result<void> rotate_webhook_secret(model::AccountId account, const Bytes& secret,
                                               Timestamp until) = 0;
    /// Empty: credit is no longer counted. Errors: not_found.
    virtual Result<void> set_credit(model::AccountId account,
                                    std::optional<std::int64_t> credit) = 0;
    /// Adds to the balance (an uncounted one starts at 0) and answers the new one.
    /// Errors: not_found, invalid_argument (the balance would be negative or overflow).
    virtual Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount) = 0;

    virtual Result<std::optional<model::ApiKey>> find_key(model::KeyId id) = 0;
    /// How many keys of the account work at `now`.
    virtual Result<std::size_t> count_live_keys(model::AccountId account, Timestamp now) = 0;
    virtual Result<model::KeyId> create_key(const model::ApiKey& key) = 0;
    /// Ends the key for good; a key that was revoked before stays as it is. Answers the key as it
    /// is then. Errors: not_found.
    virtual Result<model::ApiKey> revoke_key(model::KeyId key, Timestamp at) = 0;
    /// Ends the key at `at`, or earlier where that was decided before. Answers the key as it is
    /// then. Errors: not_found.
    virtual Result<model::ApiKey> expire_key(model::KeyId key, Timestamp at) = 0;

    virtual Result<std::optional<model::Device>> find_device(model::PhoneNumber number) = 0;
    /// Adds the device, if its number is free and its account has room. Of a device that the
    /// account has, only the webhook is taken over, and only where `webhook_given`.
    /// Errors: not_found (no such account).
    virtual Result<DeviceDecision> add_device(const model::Device& device, bool webhook_given) = 0;
    /// Answers the device as it is then; empty where it was in that state, so nothing was written.
    /// Errors: not_found, also where the number has another device now.
    virtual Result<std::optional<model::Device>> set_device_state(const DeviceIdentity& device,
                                                                  model::DeviceState state,
                                                                  Timestamp since) = 0;
    /// Removes the device. Errors: not_found; conflict while messages wait in its lane.
    virtual Result<void> remove_device(model::PhoneNumber device) = 0;

    /// Since when the device cannot send (queue time), or that it can again.
    virtual Result<void> set_down_since(model::PhoneNumber device,
                                        std::optional<Timestamp> since) = 0;
    /// The device is gone: its LaneRecord goes too.
    virtual Result<void> forget_lane(model::PhoneNumber device) = 0;

    /// Stores a callback that belongs to no message's end (device webhooks).
    virtual Result<void> add_callback(const model::Callback& callback) = 0;
    /// Makes a callback that does not wait due now (queue time), with its attempts counted anew.
    /// Errors: not_found, conflict (it waits).
    virtual Result<void> replay_callback(model::EventId event, Timestamp now) = 0;

    /// Puts a held message back into its lane, due now (queue time). Errors: not_found, conflict
    /// (not held), refused (its device was removed, or is another account's now).
    virtual Result<void> release_message(model::MessageId message, Timestamp now) = 0;

    /// Ends a held message as failed: its credit given back if it was charged, the callback stored.
    /// The attempts and the platform's id stay what they were.
    /// Errors: not_found, conflict (not held).
    virtual Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                                      const std::optional<model::Callback>& callback) = 0;

    // What a connector keeps of a device, encrypted; it goes with the device.
    static constexpr std::size_t secret_bytes_max = 1'048'576;
    static constexpr std::size_t secret_name_bytes_max = 256;
    static constexpr std::size_t device_secrets_max = 20'000;
    /// Empty: there is none. Errors: conflict (another key encrypted it).
    virtual Result<std::optional<Bytes>> device_secret(model::PhoneNumber device,
                                                       std::string_view name) = 0;
    /// Removes all that is kept of the device.
    virtual Result<void> clear_device_secrets(model::PhoneNumber device) = 0;
    /// Empty: removes it. Errors: not_found (no such device), refused (a limit above).
    virtual Result<void> put_device_secret(model::PhoneNumber device, std::string_view name,
                                           const std::optional<Bytes>& value) = 0;

    // What platforms report, by the device and the platform's id.
    /// Whether a message that came in is the first of its id.
    virtual Result<bool> note_inbound(model::PhoneNumber device, std::string_view platform_id,
                                      Timestamp now) = 0;
    /// Whether a message has come further than was known.
    virtual Result<bool> note_status(model::PhoneNumber device, std::string_view platform_id,
                                     const model::PlatformStatus& status, Timestamp now) = 0;
    /// The message that was handed over under this id, whether it ended since or not; of several
    /// the latest that did not.
    virtual Result<std::optional<PlatformMessage>> find_platform_message(
        model::PhoneNumber device, std::string_view platform_id) = 0;
    /// Messages that are handed over and to be decided by `until` or before, the most urgent first.
    /// Errors: damaged, at the first call that meets messages which cannot be read; from then on
    /// they are left out.
    virtual Result<std::vector<PlatformMessage>> undecided(Timestamp until, std::size_t limit) = 0;
    /// The earliest `decide_by`; empty where nothing is handed over.
    virtual Result<std::optional<Timestamp>> next_decide_by() = 0;
    /// Ends a message that is handed over, as a Finish does. False: it is not, or has ended.
    virtual Result<bool> end_handed_over(const model::Message& message,
                                         const model::Completion& completion,
                                         const std::optional<model::Callback>& callback) = 0;
    /// Whose the message is; empty where there is none.
    virtual Result<std::optional<model::AccountId>> owner_of_message(model::MessageId message) = 0;

    virtual Result<std::optional<IdempotencyRecord>> find_idempotency(model::AccountId account,
                                                                      std::string_view key) = 0;
    virtual Result<void> put_idempotency(const IdempotencyRecord& record) = 0;

    /// Keeps QueueClock::offset for the next start.
    virtual Result<void> set_clock_offset(Millis offset) = 0;

    /// One small step of retention; answers how many it removed (0: nothing left for now). What
    /// cannot go yet is passed by; each round of steps looks at it once more.
    virtual Result<std::size_t> prune(const PruneLimits& limits) = 0;
};

}  // namespace merpati::store
