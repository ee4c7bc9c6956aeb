// Shows the steps of a pairing for `merpati device pair`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "cli/console.hpp"

namespace merpati::cli {

/// One pairing step, as the catalogue returns it.
struct ShownStep {
    std::string method;   // "qr", "code", "otp", "passkey".
    std::string payload;  // From the platform, unchecked.
    Timestamp expires_at;

    /// Whether the person has to type an answer.
    [[nodiscard]] bool asks() const { return method == "otp" || method == "passkey"; }
};

/// Operation: on a terminal each step replaces the one before, a QR code is drawn, and the
/// remaining time counts down. Without a terminal each step is a few lines of text.
///
/// Threads: one.
class PairingView {
public:
    /// `number`: the device, for the sentence that says how to resume.
    PairingView(Console& console, std::string number);

    void show(const ShownStep& step, Timestamp now);
    /// Updates the countdown; call it several times a second.
    void tick(Timestamp now);
    /// Erases the last step from the terminal.
    void end();

private:
    void draw(const ShownStep& step);
    void draw_qr_code(const std::string& payload);
    void line(std::string_view text);
    void erase();

    Console& console_;
    const std::string number_;
    std::size_t lines_ = 0;  // Rows of the terminal that the step fills, without the countdown.
    bool counts_down_ = false;
    Timestamp expires_at_{};
    std::string countdown_;
};

}  // namespace merpati::cli
