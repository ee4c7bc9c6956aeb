#include "cli/campaign/watch_view.hpp"

#include <array>
#include <ostream>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/campaign/campaign_view.hpp"

namespace merpati::cli {
namespace {

using boost::json::object;

struct ReasonText {
    std::string_view reason;
    std::string_view text;
};

constexpr std::array reason_texts{
    ReasonText{.reason = "asked", .text = "a person paused it"},
    ReasonText{.reason = "failures", .text = "too many messages failed in a row"},
    ReasonText{.reason = "unregistered", .text = "too many numbers are not registered"},
    ReasonText{.reason = "disconnected", .text = "a device was logged out, banned or removed"},
    ReasonText{.reason = "credit", .text = "too little credit is left"},
    ReasonText{.reason = "expired", .text = "the account's validity is over"},
    ReasonText{.reason = "missed_schedule", .text = "it could not begin at its time"},
    ReasonText{.reason = "opt_outs", .text = "too many recipients opted out"},
    ReasonText{.reason = "restricted", .text = "the platform restricts its devices"},
    ReasonText{.reason = "quiet_hours", .text = "it is quiet now"},
    ReasonText{.reason = "devices", .text = "none of its devices can send now"},
};

std::uint64_t count_of(const object& campaign, std::string_view state) {
    return campaign.at("counts").at(state).to_number<std::uint64_t>();
}

/// What a line of JSON tells; a change of the fields before `rate_per_minute` makes a new line.
object change_of(const object& campaign) {
    object change;
    for (const std::string_view field : {"id", "state", "reason", "until", "counts"}) {
        change[field] = campaign.at(field);
    }
    return change;
}

/// Why it does not move. Empty: it does.
std::string wait_of(const object& campaign) {
    const auto state = word(campaign.at("state"));
    if (state == "scheduled") {
        return "begins at " + word(campaign.at("schedule_at"));
    }
    const auto reason = word(campaign.at("reason"));
    return reason.empty() ? reason : fmt::format("{}: {}", state, explain_reason(reason));
}

}  // namespace

void WatchView::show(const object& campaign, const Clock& clock) {
    told_silence_ = false;
    if (form_ == Form::json) {
        print_change(campaign);
        return;
    }
    const auto text = progress_of(campaign, clock.now());
    const auto now = clock.steady_now();
    if (line_.is_shown()) {
        line_.draw(part_done(campaign), text, now);
        return;
    }
    const auto status = word(campaign.at("state")) + word(campaign.at("reason"));
    const bool is_due = !told_at_ || now - *told_at_ >= line_every;
    const auto counts = boost::json::serialize(campaign.at("counts"));
    if (status != status_ || (is_due && counts != told_)) {
        status_ = status;
        told_ = counts;
        told_at_ = now;
        console_.out << fmt::format("{:3}%  ", per_cent(part_done(campaign))) << printable(text)
                     << '\n'
                     << std::flush;
    }
}

void WatchView::show_silence() {
    constexpr std::string_view text = "the server does not answer; waiting for it";
    if (form_ == Form::people && line_.is_shown()) {
        line_.draw_now(std::nullopt, text);
    } else if (!told_silence_) {
        console_.err << "merpati: " << text << '\n' << std::flush;
    }
    told_silence_ = true;
}

void WatchView::print_change(const object& campaign) {
    auto change = change_of(campaign);
    if (change == shown_) {
        return;
    }
    shown_ = change;
    for (const std::string_view field : {"rate_per_minute", "ends_at"}) {
        change[field] = campaign.at(field);
    }
    console_.out << printable_json(boost::json::serialize(change)) << '\n' << std::flush;
}

std::string progress_of(const object& campaign, Timestamp now) {
    const auto total = count_of(campaign, "total");
    auto text = fmt::format(
        "{}/{}", total - count_of(campaign, "pending") - count_of(campaign, "queued"), total);
    for (const std::string_view state : {"failed", "skipped", "uncertain", "cancelled"}) {
        if (const auto count = count_of(campaign, state); count > 0) {
            text += fmt::format(", {} {}", count, state);
        }
    }
    if (const auto waits = wait_of(campaign); !waits.empty()) {
        return text + "; " + waits;
    }
    if (const auto& rate = campaign.at("rate_per_minute"); !rate.is_null()) {
        text += fmt::format(", {:.1f} a minute", rate.to_number<double>());
    }
    if (const auto ends_at = parse_rfc3339(word(campaign.at("ends_at")))) {
        text += fmt::format(", {} left",
                            about(std::chrono::ceil<std::chrono::seconds>(*ends_at - now)));
    }
    return text;
}

double part_done(const object& campaign) {
    const auto total = count_of(campaign, "total");
    const auto waiting = count_of(campaign, "pending") + count_of(campaign, "queued");
    return total == 0 ? 0 : static_cast<double>(total - waiting) / static_cast<double>(total);
}

std::string_view explain_reason(std::string_view reason) noexcept {
    for (const auto& row : reason_texts) {
        if (row.reason == reason) {
            return row.text;
        }
    }
    return {};
}

}  // namespace merpati::cli
