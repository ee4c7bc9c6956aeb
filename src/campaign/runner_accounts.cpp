// The runner: attaches and detaches the campaigns of accounts.
#include <algorithm>
#include <utility>

#include "campaign/acts.hpp"
#include "campaign/runner.hpp"
#include "store/campaigns.hpp"

namespace merpati::campaign {

/// The campaigns of the account, or of all, as an earlier process has left them.
Result<void> Runner::take_in(std::optional<model::AccountId> account) {
    auto* campaigns = reader();
    if (campaigns == nullptr) {
        return fail(ErrorCode::store_failed, "the campaigns cannot be read");
    }
    const auto to_notify = campaigns->campaigns_to_notify();
    if (!to_notify) {
        return pass(to_notify);
    }
    const auto concerned = [&account](const model::Campaign& campaign) {
        return !account || campaign.account == *account;
    };
    for (const auto& campaign : means_.open.all()) {
        if (!concerned(*campaign)) {
            continue;
        }
        know(campaign)->campaign = campaign;
        if (auto counted = count_loads(*campaign); !counted) {
            return counted;
        }
    }
    for (const auto& campaign : *to_notify) {
        if (concerned(campaign) && campaign.state != model::CampaignState::draft) {
            const auto known = know(std::make_shared<const model::Campaign>(campaign));
            known->owes_notice = true;
        }
    }
    judge_all_ = true;
    running_changed_ = true;
    return {};
}

/// What an earlier process has handed to the lanes.
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

void Runner::attach(model::AccountId account, std::move_only_function<void(Result<void>)> done) {
    post([this, account, done = std::move(done)]() mutable { done(take_in(account)); });
    box_.wake();
}

void Runner::detach(model::AccountId account, std::move_only_function<void()> done) {
    post([this, account, done = std::move(done)]() mutable { forget(account, std::move(done)); });
    box_.wake();
}

void Runner::forget(model::AccountId account, std::move_only_function<void()> done) {
    Leaving leaving{.busy = {}, .done = std::move(done)};
    std::erase_if(known_, [&](const auto& one) {
        const auto& [id, known] = one;
        if (known->campaign->account != account) {
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
    running_changed_ = true;
    leaving_.push_back(std::move(leaving));
}

/// Each end of what was begun is an event, so this is called after it.
void Runner::answer_left() {
    for (auto& leaving : leaving_) {
        std::erase_if(leaving.busy, [](const KnownPtr& known) { return !known->is_busy(); });
        if (leaving.busy.empty()) {
            leaving.done();
        }
    }
    std::erase_if(leaving_, [](const Leaving& leaving) { return leaving.busy.empty(); });
}

}  // namespace merpati::campaign
