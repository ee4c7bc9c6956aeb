// One number of the official platform, as the connector knows it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "connector/cloud/number/rates.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"

namespace merpati::connector::cloud {

/// What a pairing waits for.
enum class PairingStage : std::uint8_t {
    requesting,  // The platform is asked to send a code.
    code,        // A person is asked for the code.
    pin,         // A person is asked for the PIN.
    answering,   // The platform is asked about the answer.
};

/// What a request of a number needs; it outlives the number.
struct Access {
    DeviceRef ref;
    std::string id;  // The platform's of the number.
    std::string token;
};

/// Owned by Numbers.
struct Number {
    model::Device device;
    std::string token;       // Empty: none.
    std::string app_secret;  // Its own; empty: none.
    model::DeviceState state = model::DeviceState::disconnected;
    Timestamp connected_at{};  // By the wall clock; of its last connection.
    std::uint64_t turn = 0;    // Of its last start or stop; what an earlier one planned is void.
    std::optional<PairingStage> pairing;
    Rates rates;
    Timestamp held_until{};  // By the wall clock; as it is kept among its secrets.

    // Reading its secrets.
    bool is_read = false;                     // Once at least.
    bool reading = false;                     // Now, or it waits for its turn.
    bool read_again = false;                  // They may have changed since the reading began.
    std::optional<std::string> start_method;  // Start it when they are read; empty: it waits not.

    [[nodiscard]] DeviceRef ref() const { return model::DeviceIdentity::of(device); }
    [[nodiscard]] const std::string& id() const { return device.cloud->phone_number_id; }
    [[nodiscard]] Access access() const { return {.ref = ref(), .id = id(), .token = token}; }
    /// Whether the platform can be asked about it.
    [[nodiscard]] bool has_access() const { return device.cloud && !token.empty(); }
    [[nodiscard]] bool is_up() const {
        return state == model::DeviceState::connected && has_access();
    }
};

}  // namespace merpati::connector::cloud
