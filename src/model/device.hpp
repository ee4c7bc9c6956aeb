// Sender devices: a messaging-account number on one connector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::model {

/// Whether a connector can have this name: 1 to 32 of a-z, 0-9, '-' and '_', a letter first.
[[nodiscard]] bool is_connector_name(std::string_view name) noexcept;

/// One vocabulary for the API, the CLI, the web app and the device webhook.
///   disconnected -> pairing -> connected <-> reconnecting -> disconnected
///   connected <-> restricted; it ends by itself.
///   logged_out, replaced and banned wait for a person.
enum class DeviceState : std::uint8_t {
    disconnected,
    pairing,
    connected,
    reconnecting,  // Lost its connection; accepts messages for 30 s more.
    logged_out,
    replaced,
    banned,
    restricted,  // Connected, but may not begin new chats until Device::restricted_until.
};
constexpr std::size_t device_states_count = static_cast<std::size_t>(DeviceState::restricted) + 1;
[[nodiscard]] std::string_view to_string(DeviceState state) noexcept;
[[nodiscard]] std::optional<DeviceState> parse_device_state(std::string_view word) noexcept;

/// Whether it has a connection, and so can send; `restricted` only in the chats that exist.
[[nodiscard]] constexpr bool is_online(DeviceState state) noexcept {
    return state == DeviceState::connected || state == DeviceState::restricted;
}

/// Whether it is connected, or its connector connects it again without a person.
[[nodiscard]] constexpr bool is_linked(DeviceState state) noexcept {
    return is_online(state) || state == DeviceState::reconnecting;
}

/// Whether its connector serves it, and so may write its secrets at any time.
[[nodiscard]] constexpr bool is_active(DeviceState state) noexcept {
    return is_linked(state) || state == DeviceState::pairing;
}

/// Why a device is paused: it sends nothing, and its messages wait without limit.
enum class PauseReason : std::uint8_t {
    asked,         // A person paused it.
    paired_again,  // It was paired again while messages waited.
};
[[nodiscard]] std::string_view to_string(PauseReason reason) noexcept;
[[nodiscard]] std::optional<PauseReason> parse_pause_reason(std::string_view word) noexcept;

struct Pause {
    PauseReason reason = PauseReason::asked;
    Timestamp since;  // By the wall clock.
    friend bool operator==(const Pause&, const Pause&) = default;
};

/// What happens to the messages that wait for a device when it is paired again.
enum class QueueChoice : std::uint8_t {
    hold,  // The device is paused as soon as it is connected.
    send,
};
[[nodiscard]] std::string_view to_string(QueueChoice choice) noexcept;
[[nodiscard]] std::optional<QueueChoice> parse_queue_choice(std::string_view word) noexcept;

/// How fast one device may send.
struct Pace {
    Millis gap_min{0};              // Shortest time between two sends.
    Millis jitter_max{0};           // Drawn anew for each send, added to gap_min.
    std::uint32_t per_day_max = 0;  // 0: no cap.
    /// The cap grows evenly for so many days after the device was added; 0: no warm-up.
    std::uint32_t warm_up_days = 0;
    friend bool operator==(const Pace&, const Pace&) = default;
};

/// A change of a pace; empty fields stay as they are.
struct PacePatch {
    std::optional<Millis> gap_min;
    std::optional<Millis> jitter_max;
    std::optional<std::uint32_t> per_day_max;
    std::optional<std::uint32_t> warm_up_days;

    void apply_to(Pace& pace) const noexcept {
        pace.gap_min = gap_min.value_or(pace.gap_min);
        pace.jitter_max = jitter_max.value_or(pace.jitter_max);
        pace.per_day_max = per_day_max.value_or(pace.per_day_max);
        pace.warm_up_days = warm_up_days.value_or(pace.warm_up_days);
    }
    friend bool operator==(const PacePatch&, const PacePatch&) = default;
};

/// What the official platform calls a device's number. Its token and the secret of its app are
/// among the device's secrets.
struct CloudNumber {
    static constexpr std::string_view token_name = "token";
    static constexpr std::string_view app_secret_name = "app_secret";
    static constexpr std::size_t secret_bytes_max = 2'048;

    std::string phone_number_id;    // 1 to 32 digits; unique over all devices.
    std::string waba_id;            // Of the business account; empty: not known.
    std::string fallback_template;  // "NAME:LANGUAGE"; empty: none.
    friend bool operator==(const CloudNumber&, const CloudNumber&) = default;
};

/// Whether the platform can have given this id to a number or a business account: 1 to 32 digits.
[[nodiscard]] bool is_cloud_id(std::string_view id) noexcept;

struct Device {
    PhoneNumber number;  // Unique over all accounts.
    AccountId account;
    std::string connector;  // The name of its connector.
    DeviceState state = DeviceState::disconnected;
    std::string webhook_url;  // Empty: none.
    Pace pace;
    Timestamp created_at;
    Timestamp state_since;
    std::string state_reason;  // In the connector's words; empty: none is known.
    /// Until when it may not begin new chats, by the wall clock. Set while it is `restricted`, also
    /// while it reconnects from that.
    std::optional<Timestamp> restricted_until{};
    std::optional<Pause> pause;  // Empty: it sends.
    /// When its last pause ended, in queue time. `scheduler.give_up` counts from then for failures
    /// and outages that began before.
    Timestamp resumed_at{};
    std::optional<QueueChoice> after_pairing;  // Empty: it is not being paired.
    std::optional<DeviceState> notified;       // The last state that its webhook was notified of.
    /// When its secrets were exported. Another program may use them, so the device is not connected
    /// with them until a person confirms that none does.
    std::optional<Timestamp> exported_at{};
    std::optional<CloudNumber> cloud{};  // Empty: it is not on the official platform, or not yet.
};

}  // namespace merpati::model
