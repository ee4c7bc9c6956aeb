#include "campaign/campaign_notices.hpp"

#include <fmt/format.h>

#include "callback/event_body.hpp"

namespace merpati::campaign {
namespace {

using model::CampaignState;

std::string quoted_reason(const model::Campaign& campaign) {
    return campaign.reason == model::CampaignReason::none
               ? "null"
               : fmt::format(R"("{}")", model::to_string(campaign.reason));
}

}  // namespace

std::string counts_json(const model::CampaignCounts& counts) {
    std::string text = fmt::format(R"({{"total":{})", counts.total());
    for (std::size_t at = 0; at < model::recipient_states_count; ++at) {
        const auto state = static_cast<model::RecipientState>(at);
        text += fmt::format(R"(,"{}":{})", model::to_string(state), counts.of(state));
    }
    return text + fmt::format(R"(,"delivered":{},"read":{}}})", counts.delivered, counts.read);
}

std::string state_json(const model::Campaign& campaign) {
    return fmt::format(R"({{"id":"{}","state":"{}","reason":{}}})", campaign.id.text(),
                       model::to_string(campaign.state), quoted_reason(campaign));
}

std::string progress_json(const model::Campaign& campaign) {
    return fmt::format(R"({{"id":"{}","counts":{}}})", campaign.id.text(),
                       counts_json(campaign.counts));
}

std::string_view event_of(const model::Campaign& campaign) {
    switch (campaign.state) {
        case CampaignState::running:
            return "campaign.started";
        case CampaignState::paused:
            return "campaign.paused";
        case CampaignState::finished:
            return "campaign.finished";
        case CampaignState::cancelled:
            return campaign.counts.open() == 0 ? "campaign.finished" : "";
        case CampaignState::draft:
        case CampaignState::scheduled:
            return {};
    }
    return {};
}

std::optional<model::Callback> notice_of(const model::Campaign& campaign, std::string_view event,
                                         const model::Account& account, UuidSource& ids,
                                         const QueueClock& clock) {
    if (account.callback_url.empty()) {
        return std::nullopt;
    }
    const auto data = fmt::format(R"({{"id":"{}","state":"{}","reason":{},"counts":{}}})",
                                  campaign.id.text(), model::to_string(campaign.state),
                                  quoted_reason(campaign), counts_json(campaign.counts));
    return model::Callback{.id = ids.next(),
                           .account = campaign.account,
                           .kind = model::CallbackKind::campaign_event,
                           .message = {},
                           .url = account.callback_url,
                           .origin_key = callback::origin_key_of(account.callback_url),
                           .body = callback::campaign_event_body(event, clock.wall_now(), data),
                           .created_at = clock.now()};
}

}  // namespace merpati::campaign
