// What `merpati device pair` shows of a pairing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "cli/console.hpp"

namespace merpati::cli {

/// One pairing step, as the catalogue answers it.
struct ShownStep {
    std::string method;   // "qr", "code", "otp", "passkey".
    std::string payload;  // From the platform: anything.
    Timestamp expires_at;

    /// Whether the person has to type something in here.
    [[nodiscard]] bool asks() const { return method == "otp" || method == "passkey"; }
};

/// Operation: on a terminal a step replaces the one before it, a QR code is drawn, and the time
/// that is left counts down. Elsewhere each step is a few lines of text.
///
/// Threads: one.
class PairingView {
public:
    /// `number`: the device, for the sentence that says how to come back.
    PairingView(Console& console, std::string number);

    void show(const ShownStep& step, Timestamp now);
    /// Call it often: counts down.
    void tick(Timestamp now);
    /// Nothing is to be done any more; what was shown goes from the terminal.
    void end();

private:
    void draw(const ShownStep& step);
    void draw_qr_code(const std::string& payload);
    void line(std::string_view text);
    void erase();

    Console& console_;
    const std::string number_;
    std::size_t lines_ = 0;  // On the terminal, above the countdown.
    bool counts_down_ = false;
    Timestamp expires_at_{};
    std::string countdown_;
};

}  // namespace merpati::cli
