#include "campaign/judgement.hpp"

#include <algorithm>

#include "campaign/acts.hpp"

namespace merpati::campaign {
namespace {

using model::CampaignReason;
using model::CampaignState;
using Devices = std::vector<std::optional<model::Device>>;

bool is_any_lost(const Devices& devices) {
    return std::ranges::any_of(
        devices, [](const auto& device) { return !device || is_lost(device->state); });
}

/// Empty: some device may begin new chats.
std::optional<Timestamp> all_restricted_until(const Devices& devices) {
    std::optional<Timestamp> until;
    for (const auto& device : devices) {
        if (!device || device->state != model::DeviceState::restricted ||
            !device->restricted_until) {
            return std::nullopt;
        }
        until = until ? std::min(*until, *device->restricted_until) : device->restricted_until;
    }
    return until;
}

CampaignReason reason_to_pause(const model::Campaign& campaign, const Circumstances& now) {
    if (!now.account_valid) {
        return CampaignReason::expired;
    }
    if (is_any_lost(now.devices)) {
        return CampaignReason::disconnected;
    }
    if (const auto broken = campaign.ends.broken(campaign.plan.stop_rules);
        broken != CampaignReason::none) {
        return broken;
    }
    return all_restricted_until(now.devices) ? CampaignReason::restricted : CampaignReason::none;
}

CampaignReason reason_to_wait(const Circumstances& now) {
    if (now.quiet) {
        return CampaignReason::quiet_hours;
    }
    const bool any = std::ranges::any_of(now.devices, [](const auto& device) {
        return device && !device->pause && model::is_linked(device->state) &&
               device->state != model::DeviceState::restricted;
    });
    return any ? CampaignReason::none : CampaignReason::devices;
}

}  // namespace

bool can_send(const model::Device& device) noexcept {
    return device.state == model::DeviceState::connected && !device.pause;
}

std::optional<store::CampaignMove> due_move(const model::Campaign& campaign,
                                            const Circumstances& now, Timestamp at) {
    if (campaign.state != CampaignState::running) {
        return std::nullopt;
    }
    if (campaign.counts.open() == 0) {
        return store::CampaignMove{.state = CampaignState::finished, .at = at};
    }
    if (const auto reason = reason_to_pause(campaign, now); reason != CampaignReason::none) {
        return store::CampaignMove{.state = CampaignState::paused,
                                   .reason = reason,
                                   .until = reason == CampaignReason::restricted
                                                ? all_restricted_until(now.devices)
                                                : std::nullopt,
                                   .at = at};
    }
    const auto reason = reason_to_wait(now);
    return reason == campaign.reason
               ? std::nullopt
               : std::optional{store::CampaignMove{
                     .state = CampaignState::running, .reason = reason, .at = at}};
}

std::optional<store::CampaignMove> move_after_restriction(const model::Campaign& campaign,
                                                          const Circumstances& now, Timestamp at) {
    const bool is_due = campaign.state == CampaignState::paused &&
                        campaign.reason == CampaignReason::restricted && campaign.until &&
                        *campaign.until <= at;
    if (!is_due) {
        return std::nullopt;
    }
    const auto reason = reason_to_pause(campaign, now);
    if (reason == CampaignReason::none) {
        return store::CampaignMove{.state = CampaignState::running, .at = at};
    }
    store::CampaignMove move{.state = CampaignState::paused, .reason = reason, .at = at};
    if (reason == CampaignReason::restricted) {
        move.until = all_restricted_until(now.devices);
        if (move.until == campaign.until) {  // The device's row follows soon.
            return std::nullopt;
        }
    }
    return move;
}

Result<Circumstances> circumstances_of(store::Tables& tables, const model::Campaign& campaign,
                                       bool quiet, Timestamp at) {
    Circumstances now{.quiet = quiet};
    const auto account = tables.find_account(campaign.account);
    if (!account) {
        return pass(account);
    }
    now.account_valid = *account && (!(*account)->expires_at || *(*account)->expires_at > at);
    for (const auto number : campaign.plan.devices) {
        auto device = tables.find_device(number);
        if (!device) {
            return pass(device);
        }
        const bool own = *device && (*device)->account == campaign.account;
        now.devices.push_back(own ? std::move(*device) : std::nullopt);
    }
    return now;
}

}  // namespace merpati::campaign
