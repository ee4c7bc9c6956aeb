// How simulated devices are paired, by the last digits of their numbers.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "connector/connector.hpp"
#include "model/ids.hpp"

namespace merpati::connector::simulator {

[[nodiscard]] std::set<std::string, std::less<>> pairing_methods();

/// The pairing method of a device, unless another is asked for. A number that ends in
///   992001  shows a QR code, then another, and is scanned
///   992002  shows a code that is typed in
///   992003  asks for a one-time password: 123456
///   992004  asks for a passkey; any text in braces is one
///   992005  shows two QR codes that nobody scans
/// Empty for all others, which need no pairing.
[[nodiscard]] std::string_view default_pairing(model::PhoneNumber device);

/// The pairing of one device, step by step.
class Pairing {
public:
    Pairing(model::PhoneNumber device, std::string method)
        : device_(device), method_(std::move(method)) {}

    enum class Next : std::uint8_t {
        show,    // Show `step`, and advance after a while.
        ask,     // Show `step`, and wait for an answer.
        paired,  // The device is connected.
        failed,  // Nobody scanned the code.
    };
    [[nodiscard]] Next advance();
    [[nodiscard]] Next answer(std::string_view answer);
    [[nodiscard]] PairingStep step(Timestamp now) const;

private:
    [[nodiscard]] bool asks() const { return method_ == "otp" || method_ == "passkey"; }
    [[nodiscard]] std::string payload() const;

    model::PhoneNumber device_;
    std::string method_;
    int steps_ = 0;
};

}  // namespace merpati::connector::simulator
