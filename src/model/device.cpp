#include "model/device.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::model {

bool is_connector_name(std::string_view name) noexcept {
    constexpr std::size_t length_max = 32;
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto fits = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return !name.empty() && name.size() <= length_max && is_letter(name.front()) &&
           std::ranges::all_of(name, fits);
}

bool is_cloud_id(std::string_view id) noexcept {
    constexpr std::size_t digits_max = 32;
    return !id.empty() && id.size() <= digits_max && std::ranges::all_of(id, is_digit);
}

std::string_view to_string(DeviceState state) noexcept {
    switch (state) {
        case DeviceState::disconnected:
            return "disconnected";
        case DeviceState::pairing:
            return "pairing";
        case DeviceState::connected:
            return "connected";
        case DeviceState::reconnecting:
            return "reconnecting";
        case DeviceState::logged_out:
            return "logged_out";
        case DeviceState::replaced:
            return "replaced";
        case DeviceState::banned:
            return "banned";
        case DeviceState::restricted:
            return "restricted";
    }
    return "unknown";
}

std::optional<DeviceState> parse_device_state(std::string_view word) noexcept {
    for (std::size_t at = 0; at < device_states_count; ++at) {
        const auto state = static_cast<DeviceState>(at);
        if (word == to_string(state)) {
            return state;
        }
    }
    return std::nullopt;
}

std::string_view to_string(PauseReason reason) noexcept {
    return reason == PauseReason::asked ? "asked" : "paired_again";
}

std::optional<PauseReason> parse_pause_reason(std::string_view word) noexcept {
    for (const auto reason : {PauseReason::asked, PauseReason::paired_again}) {
        if (word == to_string(reason)) {
            return reason;
        }
    }
    return std::nullopt;
}

std::string_view to_string(QueueChoice choice) noexcept {
    return choice == QueueChoice::hold ? "hold" : "send";
}

std::optional<QueueChoice> parse_queue_choice(std::string_view word) noexcept {
    for (const auto choice : {QueueChoice::hold, QueueChoice::send}) {
        if (word == to_string(choice)) {
            return choice;
        }
    }
    return std::nullopt;
}

}  // namespace merpati::model
