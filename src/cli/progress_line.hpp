// A line that shows how far a command is, drawn anew in place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "cli/console.hpp"

namespace merpati::cli {

/// Operation: only on a terminal; without one nothing is drawn. `draw` replaces the line, `end`
/// erases it, so that the result takes its place.
///
/// Threads: one.
///
/// Limits: the line is cut at the width that the terminal had when the command began.
class ProgressLine {
public:
    /// Shortest time between two drawings.
    static constexpr std::chrono::milliseconds draw_every{100};

    explicit ProgressLine(Console& console) : console_(console) {}

    [[nodiscard]] bool is_shown() const noexcept { return console_.columns != 0; }

    /// `done`: from 0 to 1; empty: the end is not known, and there is no bar.
    void draw(std::optional<double> done, std::string_view text, SteadyTime now);
    /// The same, however soon after the one before.
    void draw_now(std::optional<double> done, std::string_view text);
    void end();

private:
    Console& console_;
    std::optional<SteadyTime> drawn_at_;
    std::string shown_;
};

/// Whole per cent of a share from 0 to 1, rounded down: 100 means all.
[[nodiscard]] int per_cent(double share) noexcept;

/// The line's text: a bar, per cent, and what fits of `text`.
[[nodiscard]] std::string progress_text(std::optional<double> done, std::string_view text,
                                        std::size_t columns);

/// "12 s", "5 min", "3 h 20 min", "2 d 4 h".
[[nodiscard]] std::string about(std::chrono::seconds duration);

/// "512 B", "1.5 MB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace merpati::cli
