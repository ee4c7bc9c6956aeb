// The rare writes, one at a time; used inside a Change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/idempotency.hpp"

namespace merpati::store {

/// What retention removes: everything that ended before these moments.
struct PruneLimits {
    // Queue time (base/queue_clock.hpp), like ids and what was created under a key.
    Timestamp messages_before;  // Messages in a final state, with no callback waiting.
    Timestamp idempotency_before;
    std::size_t rows_max = 500;  // One step's work, so that it never delays a batch for long.
};

/// Errors of every method: not_found and conflict as said, store_failed for everything else.
class Tables {
public:
    virtual ~Tables() = default;

    /// Gives the account its id.
    virtual Result<model::AccountId> create_account(const model::Account& account) = 0;
    /// Writes every field but credit. Errors: not_found.
    virtual Result<void> update_account(const model::Account& account) = 0;
    /// Empty: credit is no longer counted. Errors: not_found.
    virtual Result<void> set_credit(model::AccountId account,
                                    std::optional<std::int64_t> credit) = 0;
    /// Adds to the balance (an uncounted one starts at 0) and answers the new one.
    /// Errors: not_found, invalid_argument (the balance would be negative or overflow).
    virtual Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount) = 0;

    virtual Result<model::KeyId> create_key(const model::ApiKey& key) = 0;
    /// Errors: not_found.
    virtual Result<void> update_key(const model::ApiKey& key) = 0;

    /// Errors: conflict when the number belongs to another account.
    virtual Result<void> put_device(const model::Device& device) = 0;
    virtual Result<void> set_device_state(model::PhoneNumber device, model::DeviceState state,
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
    /// Makes a callback due now (queue time), with its attempts counted anew. Errors: not_found.
    virtual Result<void> replay_callback(model::EventId event, Timestamp now) = 0;

    /// Puts a held message back into its lane, due now (queue time). Errors: not_found, conflict
    /// (not held).
    virtual Result<void> release_message(model::MessageId message, Timestamp now) = 0;

    /// Ends a held message as failed: its credit given back if it was charged, the callback stored.
    /// The attempts and the platform's id stay what they were.
    /// Errors: not_found, conflict (not held).
    virtual Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                                      const std::optional<model::Callback>& callback) = 0;

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
