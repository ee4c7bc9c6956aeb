// Devices, and what is kept of them, as a Change reads and writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"
#include "model/device_identity.hpp"
#include "store/records.hpp"

namespace merpati::store {

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

/// A part of Tables.
class DeviceTables {
public:
    virtual ~DeviceTables() = default;

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
    /// Removes the device with its secrets, received media and LaneRecord. Errors: not_found,
    /// conflict (messages wait or are in flight; a running campaign names it).
    virtual Result<void> remove_device(model::PhoneNumber device) = 0;

    /// Sets since when the device cannot send (queue time); empty: it can.
    virtual Result<void> set_down_since(model::PhoneNumber device,
                                        std::optional<Timestamp> since) = 0;
    /// Removes what was written of the lane of a removed device of `former` since then, unless the
    /// number is another account's by now, for which another node may work.
    virtual Result<void> forget_lane(model::PhoneNumber device, model::AccountId former) = 0;

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

    /// Stores the reference by which the media are downloaded; removed with the device. Errors:
    /// not_found (no such device).
    virtual Result<void> keep_received_media(const ReceivedMedia& media) = 0;
};

}  // namespace merpati::store
