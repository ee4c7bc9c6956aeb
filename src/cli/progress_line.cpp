#include "cli/progress_line.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace merpati::cli {
namespace {

constexpr std::size_t bar_columns_max = 30;
constexpr std::size_t bar_share = 3;  // The bar takes at most this part of the line.

std::string bar(double done, std::size_t columns) {
    const auto full = static_cast<std::size_t>(done * static_cast<double>(columns));
    return fmt::format("[{}{}]", std::string(full, '#'), std::string(columns - full, '.'));
}

/// The beginning of `text` that fills at most `columns` characters.
std::string cut(const std::string& text, std::size_t columns) {
    if (utf8_characters(text) <= columns) {
        return text;
    }
    std::string shown;
    for (std::string_view rest = text; utf8_characters(shown) < columns;) {
        std::size_t size = 1;
        while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xc0U) == 0x80U) {
            ++size;
        }
        shown += rest.substr(0, size);
        rest.remove_prefix(size);
    }
    return shown;
}

}  // namespace

void ProgressLine::draw(std::optional<double> done, std::string_view text, SteadyTime now) {
    if (drawn_at_ && now - *drawn_at_ < draw_every) {
        return;
    }
    drawn_at_ = now;
    draw_now(done, text);
}

void ProgressLine::draw_now(std::optional<double> done, std::string_view text) {
    if (!is_shown()) {
        return;
    }
    auto line = progress_text(done, text, console_.columns);
    if (line != shown_) {
        shown_ = std::move(line);
        console_.out << "\r\x1b[K" << shown_ << std::flush;
    }
}

void ProgressLine::end() {
    if (!shown_.empty()) {
        console_.out << "\r\x1b[K" << std::flush;
    }
    shown_.clear();
}

int per_cent(double share) noexcept {
    constexpr double error = 1e-9;  // Of 0.29 * 100, which is less than 29.
    return static_cast<int>(share * 100 + error);
}

std::string progress_text(std::optional<double> done, std::string_view text, std::size_t columns) {
    const auto said = printable(text);
    std::string line = said;
    if (done) {
        const auto share = std::clamp(*done, 0.0, 1.0);
        const auto size = std::min(bar_columns_max, columns / bar_share);
        line = fmt::format("{} {:3}%  {}", bar(share, size), per_cent(share), said);
    }
    // A full line would move the cursor to the next one.
    return cut(line, columns == 0 ? 0 : columns - 1);
}

std::string about(std::chrono::seconds duration) {
    using namespace std::chrono_literals;
    const auto count = [](auto whole) { return whole.count(); };
    if (duration < 1min) {
        return fmt::format("{} s", std::max(duration, 0s).count());
    }
    const auto minutes = std::chrono::round<std::chrono::minutes>(duration);
    if (minutes < 1h) {
        return fmt::format("{} min", count(minutes));
    }
    const auto hours = std::chrono::floor<std::chrono::hours>(minutes);
    if (hours < 48h) {
        return fmt::format("{} h {} min", count(hours), count(minutes - hours));
    }
    const auto days = std::chrono::floor<std::chrono::days>(hours);
    return fmt::format("{} d {} h", count(days), count(hours - days));
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
    constexpr double step = 1'000;
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (size >= step && unit + 1 < units.size()) {
        size /= step;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, units.at(unit));
}

}  // namespace merpati::cli
