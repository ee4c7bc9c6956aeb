// The campaigns that are under way, in memory.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/control.hpp"
#include "campaign/quiet_hours.hpp"
#include "model/campaign.hpp"
#include "store/campaigns.hpp"
#include "store/records.hpp"
#include "store/shard_set.hpp"

namespace merpati::campaign {

using CampaignPtr = std::shared_ptr<const model::Campaign>;

/// A copy of the campaigns that are scheduled, running or paused, and of cancelled ones whose rows
/// have not all ended, that follows the commits. It tells the scheduler whose messages may be sent.
///
/// Operation: `load` at the start, then `apply` for each row that the store reports, in the order
/// of the commits. A pause therefore holds from its commit on.
///
/// Threads: any; `apply` on one, the committer's.
class OpenCampaigns {
public:
    explicit OpenCampaigns(const Clock& clock) : clock_(clock) {}

    /// Adds the campaigns of the shards' accounts. Errors: store_failed, damaged.
    [[nodiscard]] Result<void> load(store::CampaignReader& reader,
                                    const store::ShardSet& shards = store::ShardSet::all());
    void apply(const store::RowChange& change);

    /// Whether messages of its recipients may be sent now: not while it is paused or quiet, nor
    /// once it is cancelled. A campaign that is not here has ended otherwise; what people send of
    /// it by hand is sent.
    [[nodiscard]] bool may_send(model::CampaignId id) const;
    /// Until when it is quiet; empty: it is not. Without time zones, a campaign with quiet hours is
    /// quiet always.
    [[nodiscard]] std::optional<Timestamp> quiet_until(model::CampaignId id) const;
    /// Its zone; empty: it is not here, or the machine has no such zone.
    [[nodiscard]] std::optional<TimeZone> zone_of(model::CampaignId id) const;

    [[nodiscard]] CampaignPtr find(model::CampaignId id) const;
    [[nodiscard]] std::vector<CampaignPtr> all() const;
    [[nodiscard]] std::array<std::size_t, model::campaign_states_count> count_by_state() const;

    /// These accounts move to another process.
    void forget(const store::ShardSet& shards);

    /// None of its messages waits in a lane any more.
    void note_withdrawn(model::CampaignId id);
    /// False: some still wait after `patience`.
    [[nodiscard]] bool wait_until_withdrawn(model::CampaignId id, Millis patience) const;

    void set_speed(model::CampaignId id, std::optional<Speed> speed);
    [[nodiscard]] std::optional<Speed> speed_of(model::CampaignId id) const;

private:
    struct Entry {
        CampaignPtr campaign;
        std::optional<TimeZone> zone;
        mutable std::optional<QuietTime> quiet;  // The present or next one, as last computed,
        mutable Timestamp quiet_as_of{};         // at this time.
        bool withdrawing = false;  // It stopped sending, and messages may still wait in lanes.
        std::optional<Speed> speed;
    };
    void put(const CampaignPtr& campaign);
    [[nodiscard]] bool may_send(const Entry& entry) const;
    [[nodiscard]] std::optional<Timestamp> quiet_until(const Entry& entry) const;

    const Clock& clock_;
    mutable std::mutex mutex_;
    mutable std::condition_variable withdrawn_;
    std::unordered_map<model::CampaignId, Entry> entries_;
};

}  // namespace merpati::campaign
