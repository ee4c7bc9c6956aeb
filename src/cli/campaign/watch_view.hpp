// Shows the progress of a campaign for `merpati campaign watch`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "cli/console.hpp"
#include "cli/progress_line.hpp"

namespace merpati::cli {

/// Operation: as JSON, a line for each change of state, reason or counts. On a terminal one line
/// with a bar, drawn in place. Elsewhere a line for each change of state or reason, and one for
/// other changes at most every `line_every`.
///
/// Threads: one.
class WatchView {
public:
    static constexpr std::chrono::seconds line_every{10};

    enum class Form : std::uint8_t { people, json };
    WatchView(Console& console, Form form) : console_(console), form_(form), line_(console) {}

    /// `campaign`: as the catalogue answers it. Call it at least as often as something changes.
    void show(const boost::json::object& campaign, const Clock& clock);
    /// The server does not answer; it is waited for.
    void show_silence();
    /// Erases the line with the bar.
    void end() { line_.end(); }

private:
    void print_change(const boost::json::object& campaign);

    Console& console_;
    const Form form_;
    ProgressLine line_;
    boost::json::object shown_;
    std::string status_;  // State and reason that the last line told.
    std::string told_;    // The last line.
    std::optional<SteadyTime> told_at_;
    bool told_silence_ = false;
};

/// "520/1000, 3 failed, 58.2 a minute, about 8 min left"
[[nodiscard]] std::string progress_of(const boost::json::object& campaign, Timestamp now);

/// Which part of the recipients has ended, from 0 to 1.
[[nodiscard]] double part_done(const boost::json::object& campaign);

/// Why a campaign is paused, or what a running one waits for, and what to do, in words. Empty for
/// an unknown reason.
[[nodiscard]] std::string_view explain_reason(std::string_view reason) noexcept;

}  // namespace merpati::cli
