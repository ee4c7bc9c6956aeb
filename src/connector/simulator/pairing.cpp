#include "connector/simulator/pairing.hpp"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace merpati::connector::simulator {
namespace {

using namespace std::chrono_literals;

constexpr Millis step_lives = 20s;
constexpr int codes_shown = 2;
constexpr std::string_view one_time_password = "123456";
constexpr std::string_view never_scanned = "992005";

constexpr std::array defaults{
    std::pair<std::string_view, std::string_view>{"992001", "qr"},
    std::pair<std::string_view, std::string_view>{"992002", "code"},
    std::pair<std::string_view, std::string_view>{"992003", "otp"},
    std::pair<std::string_view, std::string_view>{"992004", "passkey"},
    std::pair<std::string_view, std::string_view>{never_scanned, "qr"},
};

}  // namespace

std::set<std::string, std::less<>> pairing_methods() {
    return {"qr", "code", "otp", "passkey"};
}

std::string_view default_pairing(model::PhoneNumber device) {
    const auto number = device.text();
    for (const auto& [ending, method] : defaults) {
        if (number.ends_with(ending)) {
            return method;
        }
    }
    return {};
}

Pairing::Next Pairing::advance() {
    const bool shown = steps_ == (method_ == "qr" ? codes_shown : 1);
    if (!shown) {
        ++steps_;
        return asks() ? Next::ask : Next::show;
    }
    return device_.text().ends_with(never_scanned) ? Next::failed : Next::paired;
}

Pairing::Next Pairing::answer(std::string_view answer) {
    const bool right = method_ == "otp" ? answer == one_time_password
                                        : answer.starts_with('{') && answer.ends_with('}');
    if (asks() && right) {
        return Next::paired;
    }
    return asks() ? Next::ask : Next::show;
}

PairingStep Pairing::step(Timestamp now) const {
    return {.method = method_, .payload = payload(), .expires_at = now + step_lives};
}

std::string Pairing::payload() const {
    if (method_ == "qr") {
        return fmt::format("SIM-QR-{}-{}", steps_, device_.text());
    }
    if (method_ == "code") {
        return fmt::format("SIMU{:04}", device_.value() % 10'000);
    }
    if (method_ == "otp") {
        return fmt::format("Kode verifikasi: {}", one_time_password);
    }
    return R"({"publicKey":{"challenge":"c2ltdWxhdG9y","rpId":"simulator.invalid"}})";
}

}  // namespace merpati::connector::simulator
