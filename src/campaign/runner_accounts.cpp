// The runner: attaches and detaches the campaigns of accounts.
#include <algorithm>
#include <utility>

#include "campaign/acts.hpp"
#include "campaign/runner.hpp"
#include "store/campaigns.hpp"

namespace merpati::campaign {

/// The campaigns of the shards' accounts, as an earlier process has left them.
Result<void> Runner::take_in(const store::ShardSet& shards) {
    if (shards.empty()) {
        return {};
    }
    if (reader_ == nullptr) {
        auto opened = rooms_.store.open_reader();
        if (!opened) {
            return pass(opened);
        }
        reader_ = std::move(*opened);
    }
    auto* campaigns = &reader_->campaigns();
    const auto to_notify = campaigns->campaigns_to_notify(shards);
    if (!to_notify) {
        return pass(to_notify);
    }
    const auto unclean = campaigns->campaigns_to_clean(shards);
    if (!unclean) {
        return pass(unclean);
    }
    for (const auto& campaign : rooms_.open.all()) {
        if (!shards.has(campaign->account)) {
            continue;
        }
        know(campaign)->campaign = campaign;
        if (auto counted = count_loads(*campaign); !counted) {
            if (counted.error().code != ErrorCode::damaged) {
                return counted;
            }
            rooms_.log.error(
                "cannot read which rows of a campaign wait in lanes; more are queued",
                {{"campaign", campaign->id.text()}, {"why", counted.error().describe()}});
        }
    }
    for (const auto& campaign : *to_notify) {
        if (campaign.state != model::CampaignState::draft) {
            const auto known = know(std::make_shared<const model::Campaign>(campaign));
            known->owes_notice = true;
        }
    }
    for (const auto& [campaign, account] : *unclean) {
        unclean_[campaign] = {.account = account};
    }
    judge_all_ = true;
    running_changed_ = true;
    return {};
}

/// What an earlier process has queued in the lanes.
Result<void> Runner::count_loads(const model::Campaign& campaign) {
    std::uint32_t after = 0;
    bool more = campaign.counts.of(model::RecipientState::queued) > 0;
    while (more) {
        const auto rows = reader_->campaigns().queued_rows(campaign.id, after, rows_step);
        if (!rows) {
            return pass(rows);
        }
        for (const auto& row : *rows) {
            loads_.add(campaign.id, row.device.value_or(model::PhoneNumber{}));
            after = row.row;
        }
        more = rows->size() == rows_step;
    }
    return {};
}

void Runner::attach(const store::ShardSet& shards,
                    std::move_only_function<void(Result<void>)> done) {
    post([this, shards, done = std::move(done)]() mutable { done(take_in(shards)); });
    box_.wake();
}

void Runner::detach(const store::ShardSet& shards, std::shared_ptr<const void> done) {
    post([this, shards, done = std::move(done)]() mutable { forget(shards, std::move(done)); });
    box_.wake();
}

void Runner::forget(const store::ShardSet& shards, std::shared_ptr<const void> done) {
    Leaving leaving{.busy = {}, .done = std::move(done)};
    std::erase_if(known_, [&](const auto& one) {
        const auto& [id, known] = one;
        if (!shards.has(known->campaign->account)) {
            return false;
        }
        known->left = true;
        if (known->is_busy()) {
            leaving.busy.push_back(known);
        }
        loads_.forget(id);
        progress_.erase(id);
        return true;
    });
    std::erase_if(unclean_, [&](const auto& one) { return shards.has(one.second.account); });
    running_changed_ = true;
    leaving_.push_back(std::move(leaving));
}

/// Each end of what was begun is an event, so this is called after it.
void Runner::answer_left() {
    std::erase_if(leaving_, [](Leaving& leaving) {
        std::erase_if(leaving.busy, [](const KnownPtr& known) { return !known->is_busy(); });
        return leaving.busy.empty();
    });
}

}  // namespace merpati::campaign
