#include "cli/pairing_view.hpp"

#include <chrono>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "api/qr_code.hpp"
#include "base/printable.hpp"

namespace merpati::cli {
namespace {

std::string_view instruction(const ShownStep& step) {
    if (step.method == "qr") {
        return "Open the app on the phone, go to its linked devices, and scan this code:";
    }
    if (step.method == "code") {
        return "Open the app on the phone, go to its linked devices, link one with the phone "
               "number, "
               "and type this code in:";
    }
    return step.asks() ? "Answer this, and press Enter:" : "Pair the device with this:";
}

/// "ABCDEFGH" reads better as "ABCD-EFGH".
std::string grouped(std::string code) {
    constexpr std::size_t half = 4;
    if (code.size() == 2 * half && !code.contains('-')) {
        code.insert(half, "-");
    }
    return code;
}

}  // namespace

PairingView::PairingView(Console& console, std::string number)
    : console_(console), number_(std::move(number)) {}

void PairingView::show(const ShownStep& step, Timestamp now) {
    if (console_.columns == 0) {
        console_.out << instruction(step) << "\n\n  " << printable(step.payload) << "\n\n(until "
                     << to_rfc3339(step.expires_at) << ")\n"
                     << std::flush;
        return;
    }
    erase();
    draw(step);
    expires_at_ = step.expires_at;
    counts_down_ = !step.asks();  // The person types the answer where the countdown would be.
    if (counts_down_) {
        tick(now);
    }
    console_.out << std::flush;
}

void PairingView::draw(const ShownStep& step) {
    line(instruction(step));
    line("");
    if (step.method == "qr") {
        draw_qr_code(step.payload);
    } else {
        line("  " + printable(step.method == "code" ? grouped(step.payload) : step.payload));
    }
    line("");
    line(fmt::format("Ctrl-C leaves; `merpati device pair {}` takes it up again.", number_));
}

void PairingView::draw_qr_code(const std::string& payload) {
    const auto drawing = api::draw_qr(payload);
    if (!drawing || drawing->columns > console_.columns) {
        line(drawing
                 ? fmt::format("This window has {} columns, and the code needs {}. Make it wider, "
                               "or show this text as a QR code:",
                               console_.columns, drawing->columns)
                 : "Show this text as a QR code:");
        line("");
        line("  " + printable(payload));
        return;
    }
    for (const auto& row : drawing->lines) {
        line(row);
    }
}

void PairingView::tick(Timestamp now) {
    if (!counts_down_) {
        return;
    }
    const auto left = std::chrono::ceil<std::chrono::seconds>(expires_at_ - now).count();
    auto text = left > 0 ? fmt::format("Valid for {} s more.", left)
                         : std::string{"Expired; the next one is being asked for."};
    if (text != countdown_) {
        countdown_ = std::move(text);
        console_.out << "\r\x1b[K" << countdown_ << std::flush;
    }
}

void PairingView::end() {
    if (console_.columns != 0) {
        erase();
        console_.out << std::flush;
    }
}

/// Prints a line, and counts its rows: a line wider than the terminal fills several.
void PairingView::line(std::string_view text) {
    const bool is_drawn = text.starts_with('\x1b');
    lines_ += is_drawn || text.empty() ? 1 : 1 + (text.size() - 1) / console_.columns;
    console_.out << text << '\n';
}

void PairingView::erase() {
    if (lines_ > 0) {
        console_.out << fmt::format("\r\x1b[{}A\x1b[J", lines_);
    }
    lines_ = 0;
    countdown_.clear();
    counts_down_ = false;
}

}  // namespace merpati::cli
