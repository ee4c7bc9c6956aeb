#include "model/campaign.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace merpati::model {
namespace {

constexpr auto campaign_moves = [] {
    using enum CampaignState;
    return std::array{
        std::pair{draft, scheduled},   std::pair{draft, running},
        std::pair{scheduled, draft},   std::pair{scheduled, running},
        std::pair{scheduled, paused},  std::pair{scheduled, cancelled},
        std::pair{running, paused},    std::pair{running, finished},
        std::pair{running, cancelled}, std::pair{paused, running},
        std::pair{paused, cancelled},  std::pair{finished, paused},
        std::pair{cancelled, paused},
    };
}();

/// The enumerator from 0 to `last` with this word.
template <class Enum>
std::optional<Enum> enumerator_of(std::string_view word, Enum last) {
    for (int at = 0; at <= static_cast<int>(last); ++at) {
        if (word == to_string(static_cast<Enum>(at))) {
            return static_cast<Enum>(at);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(CampaignState state) noexcept {
    using enum CampaignState;
    switch (state) {
        case draft:
            return "draft";
        case scheduled:
            return "scheduled";
        case running:
            return "running";
        case paused:
            return "paused";
        case finished:
            return "finished";
        case cancelled:
            return "cancelled";
    }
    return "unknown";
}

std::optional<CampaignState> parse_campaign_state(std::string_view word) noexcept {
    return enumerator_of(word, CampaignState::cancelled);
}

bool may_move(CampaignState from, CampaignState to) noexcept {
    return std::ranges::find(campaign_moves, std::pair{from, to}) != campaign_moves.end();
}

bool has_ended(CampaignState state) noexcept {
    return state == CampaignState::finished || state == CampaignState::cancelled;
}

std::string_view to_string(CampaignReason reason) noexcept {
    switch (reason) {
        case CampaignReason::none:
            return "";
        case CampaignReason::asked:
            return "asked";
        case CampaignReason::failures:
            return "failures";
        case CampaignReason::unregistered:
            return "unregistered";
        case CampaignReason::disconnected:
            return "disconnected";
        case CampaignReason::credit:
            return "credit";
        case CampaignReason::expired:
            return "expired";
        case CampaignReason::missed_schedule:
            return "missed_schedule";
        case CampaignReason::opt_outs:
            return "opt_outs";
        case CampaignReason::restricted:
            return "restricted";
        case CampaignReason::quiet_hours:
            return "quiet_hours";
        case CampaignReason::devices:
            return "devices";
    }
    return "unknown";
}

std::optional<CampaignReason> parse_campaign_reason(std::string_view word) noexcept {
    return enumerator_of(word, campaign_reason_last);
}

std::string_view to_string(RecipientState state) noexcept {
    switch (state) {
        case RecipientState::pending:
            return "pending";
        case RecipientState::queued:
            return "queued";
        case RecipientState::sent:
            return "sent";
        case RecipientState::failed:
            return "failed";
        case RecipientState::skipped:
            return "skipped";
        case RecipientState::uncertain:
            return "uncertain";
        case RecipientState::cancelled:
            return "cancelled";
    }
    return "unknown";
}

std::optional<RecipientState> parse_recipient_state(std::string_view word) noexcept {
    return enumerator_of(word, RecipientState::cancelled);
}

std::string_view to_string(SkipReason reason) noexcept {
    switch (reason) {
        case SkipReason::none:
            return "";
        case SkipReason::invalid:
            return "invalid";
        case SkipReason::duplicate:
            return "duplicate";
        case SkipReason::suppressed:
            return "suppressed";
        case SkipReason::frequency:
            return "frequency";
        case SkipReason::excluded:
            return "excluded";
        case SkipReason::empty_value:
            return "empty_value";
    }
    return "unknown";
}

std::optional<SkipReason> parse_skip_reason(std::string_view word) noexcept {
    return enumerator_of(word, skip_reason_last);
}

std::string_view to_string(Purpose purpose) noexcept {
    return purpose == Purpose::marketing ? "marketing" : "transactional";
}

std::optional<Purpose> parse_purpose(std::string_view word) noexcept {
    return enumerator_of(word, Purpose::transactional);
}

std::string_view to_string(OptOutWay way) noexcept {
    switch (way) {
        case OptOutWay::none:
            return "none";
        case OptOutWay::link:
            return "link";
        case OptOutWay::keyword:
            return "keyword";
    }
    return "unknown";
}

std::optional<OptOutWay> parse_opt_out_way(std::string_view word) noexcept {
    return enumerator_of(word, OptOutWay::keyword);
}

std::int64_t CampaignCounts::total() const noexcept {
    return std::accumulate(by_state.begin(), by_state.end(), std::int64_t{0});
}

void CampaignEnds::note(StatusCode code) noexcept {
    constexpr unsigned bits = 64;
    failures_in_row = code == StatusCode::sent ? 0 : failures_in_row + 1;
    sent += code == StatusCode::sent ? 1 : 0;
    unregistered[1] = (unregistered[1] << 1U) | (unregistered[0] >> (bits - 1));
    unregistered[0] =
        (unregistered[0] << 1U) | (code == StatusCode::recipient_unregistered ? 1U : 0U);
    unregistered[1] &= (std::uint64_t{1} << (recent_max - bits)) - 1;
    recent = std::min(recent + 1, recent_max);
}

std::uint32_t CampaignEnds::unregistered_recently() const noexcept {
    return static_cast<std::uint32_t>(std::popcount(unregistered[0]) +
                                      std::popcount(unregistered[1]));
}

CampaignReason CampaignEnds::broken(const StopRules& rules) const noexcept {
    constexpr std::uint32_t counted_min = 20;
    constexpr std::uint64_t hundred = 100;
    if (rules.failures_in_row && failures_in_row >= *rules.failures_in_row) {
        return CampaignReason::failures;
    }
    if (rules.unregistered_percent && recent >= counted_min &&
        unregistered_recently() * hundred >= std::uint64_t{*rules.unregistered_percent} * recent) {
        return CampaignReason::unregistered;
    }
    if (rules.opt_outs_per_hundred && sent >= counted_min &&
        opt_outs * hundred >= std::uint64_t{*rules.opt_outs_per_hundred} * sent) {
        return CampaignReason::opt_outs;
    }
    return CampaignReason::none;
}

}  // namespace merpati::model
