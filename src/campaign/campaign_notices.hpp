// What is said about campaigns: webhook events, and the data of streamed ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/campaign.hpp"

namespace merpati::campaign {

/// {"total":…,"pending":…, …,"delivered":…,"read":…}
[[nodiscard]] std::string counts_json(const model::CampaignCounts& counts);
/// {"id","state","reason"}, of the streamed event campaign.state; `reason` is null if there is
/// none.
[[nodiscard]] std::string state_json(const model::Campaign& campaign);
/// {"id","counts"}, of campaign.progress.
[[nodiscard]] std::string progress_json(const model::Campaign& campaign);

/// The webhook event of the campaign's state: campaign.started, campaign.paused, campaign.finished
/// (also of a cancelled one, once all its recipients have ended); empty: there is none.
[[nodiscard]] std::string_view event_of(const model::Campaign& campaign);

/// The callback of an event; empty: the account has no address for it.
[[nodiscard]] std::optional<model::Callback> notice_of(const model::Campaign& campaign,
                                                       std::string_view event,
                                                       const model::Account& account,
                                                       UuidSource& ids, const QueueClock& clock);

}  // namespace merpati::campaign
