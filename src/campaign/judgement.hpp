// What should become of a running campaign.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "store/campaigns.hpp"
#include "store/tables.hpp"

namespace merpati::campaign {

/// What a judgement rests on, besides the campaign.
struct Circumstances {
    bool account_valid = true;
    /// By CampaignPlan::devices; empty: it was removed, or is another account's.
    std::vector<std::optional<model::Device>> devices;
    bool quiet = false;  // It is quiet now.
};

/// Whether the device takes messages of campaigns now.
[[nodiscard]] bool can_send(const model::Device& device) noexcept;

/// The state and reason that a running campaign should have, if they are others than its own. The
/// first of these decides: no recipient is open, the account, a lost device, the stop rules, a
/// restriction of all devices, quiet hours, no device that can send.
[[nodiscard]] std::optional<store::CampaignMove> due_move(const model::Campaign& campaign,
                                                          const Circumstances& now, Timestamp at);

/// The same of a campaign that is paused as restricted and whose `until` has come: it goes on,
/// stays paused for another reason, or until a later end of the restriction.
[[nodiscard]] std::optional<store::CampaignMove> move_after_restriction(
    const model::Campaign& campaign, const Circumstances& now, Timestamp at);

/// Reads the circumstances in a transaction. Errors: of store::Tables.
[[nodiscard]] Result<Circumstances> circumstances_of(store::Tables& tables,
                                                     const model::Campaign& campaign, bool quiet,
                                                     Timestamp at);

}  // namespace merpati::campaign
