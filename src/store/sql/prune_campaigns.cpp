// The task of Retention for recipients of campaigns.
#include <fmt/format.h>

#include "store/sql/campaign_rows.hpp"
#include "store/sql/retention.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using Visit = PruneTask::Visit;
using model::RecipientState;

/// Rows of campaigns that have ended; their counts stay. A row whose message may still move it
/// (waiting, or held) is kept, and its campaign is visited again in the next round.
class Recipients final : public PruneTask {
public:
    Recipients(Connection& connection, CampaignWriter& campaigns)
        : campaigns_(campaigns),
          next_campaign_(connection,
                         "SELECT id, finished_at FROM campaign WHERE finished_at IS NOT NULL AND "
                         "pruned = 0 AND (finished_at, id) > (?1, ?2) AND finished_at < ?3 "
                         "ORDER BY finished_at, id LIMIT 1"),
          next_row_(connection,
                    fmt::format("SELECT id, state IN ({}, {}, {}, {}) FROM campaign_recipient "
                                "WHERE id > ? AND id < ? ORDER BY id LIMIT 1",
                                number_of(RecipientState::sent), number_of(RecipientState::failed),
                                number_of(RecipientState::skipped),
                                number_of(RecipientState::cancelled))),
          remove_(connection, "DELETE FROM campaign_recipient WHERE id = ?"),
          mark_pruned_(connection, "UPDATE campaign SET pruned = 1 WHERE id = ?") {}

    Visit visit(const PruneLimits& limits) override {
        if (!campaign_ && !next_campaign(limits)) {
            return Visit::none;
        }
        bool may_go = false;
        {
            auto row = next_row_.query(key_, recipients_end(*campaign_));
            if (!row.next()) {
                return end_campaign();
            }
            key_ = row.integer(0);
            may_go = row.integer(1) != 0;
        }
        if (!may_go) {
            has_kept_ = true;
            return Visit::kept;
        }
        remove_.run(key_);
        return Visit::removed;
    }

private:
    /// False: the round is over.
    [[nodiscard]] bool next_campaign(const PruneLimits& limits) {
        auto row =
            next_campaign_.query(finished_at_, last_, limits.messages_before - limits.clock_offset);
        if (!row.next()) {
            finished_at_ = last_ = 0;
            return false;
        }
        last_ = row.integer(0);
        finished_at_ = row.integer(1);
        campaign_ = model::CampaignId{last_};
        key_ = row_key(*campaign_, 0);
        has_kept_ = false;
        return true;
    }
    [[nodiscard]] Visit end_campaign() {
        if (!has_kept_) {
            mark_pruned_.run(campaign_->value);
            campaigns_.forget(*campaign_);
        }
        campaign_.reset();
        return Visit::kept;
    }

    CampaignWriter& campaigns_;
    Statement next_campaign_;
    Statement next_row_;
    Statement remove_;
    Statement mark_pruned_;
    // The last campaign, by (finished_at, id), and its last row that was visited.
    std::int64_t finished_at_ = 0;
    std::int64_t last_ = 0;
    std::optional<model::CampaignId> campaign_;  // Empty: the next one is to be found.
    std::int64_t key_ = 0;
    bool has_kept_ = false;
};

}  // namespace

std::unique_ptr<PruneTask> recipients_task(const PruneRooms& rooms) {
    return std::make_unique<Recipients>(rooms.connection, rooms.writer.recipients().campaigns());
}

}  // namespace merpati::store::sql
