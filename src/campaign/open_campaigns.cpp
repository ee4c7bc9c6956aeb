#include "campaign/open_campaigns.hpp"

#include <utility>

namespace merpati::campaign {
namespace {

using model::CampaignState;

bool is_open(const model::Campaign& campaign) {
    return campaign.state == CampaignState::scheduled || campaign.state == CampaignState::running ||
           campaign.state == CampaignState::paused ||
           (campaign.state == CampaignState::cancelled && campaign.counts.open() > 0);
}

}  // namespace

Result<void> OpenCampaigns::load(store::CampaignReader& reader, const store::ShardSet& shards) {
    auto open = reader.open_campaigns(shards);
    if (!open) {
        return pass(open);
    }
    const std::lock_guard lock{mutex_};
    for (auto& campaign : *open) {
        put(std::make_shared<const model::Campaign>(std::move(campaign)));
    }
    return {};
}

void OpenCampaigns::apply(const store::RowChange& change) {
    const std::lock_guard lock{mutex_};
    if (const auto* written = std::get_if<store::CampaignWritten>(&change)) {
        put(written->campaign);
    } else if (const auto* removed = std::get_if<store::CampaignRemoved>(&change)) {
        entries_.erase(removed->campaign);
        withdrawn_.notify_all();
    }
}

void OpenCampaigns::forget(const store::ShardSet& shards) {
    const std::lock_guard lock{mutex_};
    std::erase_if(entries_, [&shards](const auto& entry) {
        return shards.has(entry.second.campaign->account);
    });
    withdrawn_.notify_all();
}

void OpenCampaigns::put(const CampaignPtr& campaign) {
    if (!is_open(*campaign)) {
        entries_.erase(campaign->id);
        withdrawn_.notify_all();
        return;
    }
    auto& entry = entries_[campaign->id];
    const bool is_new = entry.campaign == nullptr;
    if (is_new || entry.campaign->plan.timezone != campaign->plan.timezone) {
        auto zone = TimeZone::find(campaign->plan.timezone);
        entry.zone = zone ? std::optional{*zone} : std::nullopt;
    }
    const bool had_sent = is_new || may_send(entry);
    if (is_new || entry.campaign->plan != campaign->plan) {
        entry.quiet_as_of = {};
    }
    entry.campaign = campaign;
    const bool sends = may_send(entry);
    const bool has_queued = campaign->counts.of(model::RecipientState::queued) > 0;
    entry.withdrawing = !sends && has_queued && (had_sent || entry.withdrawing);
    if (!entry.withdrawing) {
        withdrawn_.notify_all();
    }
}

bool OpenCampaigns::may_send(const Entry& entry) const {
    return entry.campaign->state == CampaignState::running && !quiet_until(entry);
}

std::optional<Timestamp> OpenCampaigns::quiet_until(const Entry& entry) const {
    const auto& hours = entry.campaign->plan.quiet_hours;
    if (!hours) {
        return std::nullopt;
    }
    if (!entry.zone) {
        return Timestamp::max();
    }
    const auto now = clock_.now();
    // Computed anew when it has passed, or when the clock was set back.
    const bool fresh = entry.quiet_as_of != Timestamp{} && now >= entry.quiet_as_of &&
                       (!entry.quiet || now < entry.quiet->until);
    if (!fresh) {
        entry.quiet = quiet_time(*hours, *entry.zone, now);
        entry.quiet_as_of = now;
    }
    return entry.quiet && entry.quiet->from <= now ? std::optional{entry.quiet->until}
                                                   : std::nullopt;
}

bool OpenCampaigns::may_send(model::CampaignId id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    return found == entries_.end() || may_send(found->second);
}

std::optional<Timestamp> OpenCampaigns::quiet_until(model::CampaignId id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    return found == entries_.end() ? std::nullopt : quiet_until(found->second);
}

std::optional<TimeZone> OpenCampaigns::zone_of(model::CampaignId id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    return found == entries_.end() ? std::nullopt : found->second.zone;
}

CampaignPtr OpenCampaigns::find(model::CampaignId id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : found->second.campaign;
}

std::vector<CampaignPtr> OpenCampaigns::all() const {
    const std::lock_guard lock{mutex_};
    std::vector<CampaignPtr> campaigns;
    campaigns.reserve(entries_.size());
    for (const auto& [id, entry] : entries_) {
        campaigns.push_back(entry.campaign);
    }
    return campaigns;
}

std::array<std::size_t, model::campaign_states_count> OpenCampaigns::count_by_state() const {
    const std::lock_guard lock{mutex_};
    std::array<std::size_t, model::campaign_states_count> counts{};
    for (const auto& [id, entry] : entries_) {
        ++counts[static_cast<std::size_t>(entry.campaign->state)];
    }
    return counts;
}

void OpenCampaigns::note_withdrawn(model::CampaignId id) {
    const std::lock_guard lock{mutex_};
    if (const auto found = entries_.find(id); found != entries_.end()) {
        found->second.withdrawing = false;
    }
    withdrawn_.notify_all();
}

bool OpenCampaigns::wait_until_withdrawn(model::CampaignId id, Millis patience) const {
    std::unique_lock lock{mutex_};
    return withdrawn_.wait_for(lock, patience, [&] {
        const auto found = entries_.find(id);
        return found == entries_.end() || !found->second.withdrawing;
    });
}

void OpenCampaigns::set_speed(model::CampaignId id, std::optional<Speed> speed) {
    const std::lock_guard lock{mutex_};
    if (const auto found = entries_.find(id); found != entries_.end()) {
        found->second.speed = speed;
    }
}

std::optional<Speed> OpenCampaigns::speed_of(model::CampaignId id) const {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    const bool runs =
        found != entries_.end() && found->second.campaign->state == CampaignState::running;
    return runs ? found->second.speed : std::nullopt;
}

}  // namespace merpati::campaign
