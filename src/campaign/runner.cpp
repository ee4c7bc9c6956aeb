#include "campaign/runner.hpp"

#include <algorithm>
#include <utility>

#include "base/thread.hpp"
#include "campaign/acts.hpp"
#include "campaign/campaign_notices.hpp"
#include "store/campaigns.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;

constexpr Millis failure_pause = 1s;
constexpr Millis idle_longest = 60s;

bool is_worth_knowing(const model::Campaign& campaign) {
    return campaign.state == CampaignState::scheduled || campaign.state == CampaignState::running ||
           campaign.state == CampaignState::paused ||
           (campaign.state == CampaignState::cancelled && campaign.counts.open() > 0);
}

}  // namespace

Runner::Runner(Rooms rooms)
    : rooms_(std::move(rooms)),
      feed_rooms_{.clock = rooms_.clock, .ids = rooms_.ids, .opt_out_url = rooms_.opt_out_url},
      checks_(rooms_.check) {}

Result<void> Runner::load() {
    auto opened = rooms_.store.open_reader();
    if (!opened) {
        return pass(opened);
    }
    reader_ = std::move(*opened);
    return take_in(rooms_.ownership.here());
}

Result<void> Runner::start() {
    if (auto loaded = load(); !loaded) {
        return loaded;
    }
    checks_.start();
    thread_ = start_thread("campaigns", [this] { run(); });
    return {};
}

void Runner::stop() {
    checks_.stop();
    stopping_ = true;
    box_.nudge();
    if (thread_.joinable()) {
        thread_.join();
    }
    box_.close();
}

void Runner::run() {
    while (!stopping_) {
        const auto pause = turn();
        if (pause > 0ms && !stopping_) {
            box_.gather(1, pause);
        }
    }
}

Millis Runner::turn() {
    std::vector<Event> events;
    if (!box_.take_all_for(events, 0ms)) {
        return idle_longest;
    }
    for (auto& event : events) {
        event();
    }
    answer_left();
    const auto now = rooms_.clock.steady_now();
    if (now >= tick_at_) {
        tick_at_ = now + tick_every;
        tick();
    } else if (judge_all_) {
        judge_all();
    }
    tell_progress();
    if (queue_some()) {
        return 0ms;
    }
    auto pause = known_.empty() ? idle_longest : tick_every;
    for (const auto& [id, waiting] : progress_) {
        pause = std::min(pause, std::chrono::ceil<Millis>(waiting.first - now));
    }
    return std::max(pause, 1ms);
}

void Runner::follow(const store::RowChange& change) {
    if (const auto* written = std::get_if<store::CampaignWritten>(&change)) {
        post([this, campaign = written->campaign] { this->written(campaign); });
    } else if (const auto* removed = std::get_if<store::CampaignRemoved>(&change)) {
        post([this, id = removed->campaign, account = removed->account] {
            known_.erase(id);
            unclean_.try_emplace(id, Cleaning{.account = account});
            clean(id);
        });
    } else if (std::holds_alternative<store::DeviceWritten>(change) ||
               std::holds_alternative<store::DeviceRemoved>(change) ||
               std::holds_alternative<model::Account>(change)) {
        post([this] { judge_all_ = true; });
    }
}

void Runner::ended(const model::Message& message) {
    if (message.campaign && message.campaign_row != 0) {
        loads_.remove(*message.campaign, message.device);
    }
}

RunnerCounts Runner::counts() const noexcept {
    return {.queued_total = queued_, .skipped_total = skipped_, .batches_total = batches_};
}

Runner::KnownPtr Runner::know(const CampaignPtr& campaign) {
    auto& known = known_[campaign->id];
    if (known == nullptr) {
        known = std::make_shared<Known>(feed_rooms_);
        known->campaign = campaign;
        known->moved_at = rooms_.clock.steady_now();
    }
    return known;
}

/// The row of a campaign as some commit has left it.
void Runner::written(const CampaignPtr& campaign) {
    const bool is_new = !known_.contains(campaign->id);
    if (campaign->state == CampaignState::draft) {
        known_.erase(campaign->id);
        running_changed_ = true;
        const auto [place, is_added] =
            unclean_.try_emplace(campaign->id, Cleaning{.account = campaign->account});
        if (!is_added) {
            place->second.again = true;  // Its audience may have been emptied.
        }
        return;
    }
    const auto known = know(campaign);
    const auto before = is_new ? nullptr : std::exchange(known->campaign, campaign);
    known->count_at = {};
    if (before == nullptr || before->counts != campaign->counts) {
        known->moved_at = rooms_.clock.steady_now();
        known->stalled = false;
        progress_[campaign->id].second = campaign;
    }
    if (!known->queueing) {
        if (campaign->counts.of(model::RecipientState::queued) == 0) {
            loads_.forget(campaign->id);
        }
        known->feed.look_again(*campaign);
    }
    follow_state(*known, before);
    judge(known);
    if (!is_worth_knowing(*campaign)) {
        known_.erase(campaign->id);
    }
}

void Runner::follow_state(Known& known, const CampaignPtr& before) {
    const auto& campaign = *known.campaign;
    if (before != nullptr && before->state == campaign.state && before->reason == campaign.reason &&
        before->plan == campaign.plan) {
        return;
    }
    running_changed_ = true;
    known.judge_at = {};  // The move was made: another one may follow at once.
    if (campaign.state == CampaignState::running &&
        campaign.reason != model::CampaignReason::quiet_hours) {
        known.feed.begin_anew();
    } else {
        known.feed.rest();
    }
    if (before != nullptr && before->state == campaign.state) {
        return;
    }
    // One that ended before and changes now, by a late report, was notified then.
    known.owes_notice = before != nullptr || !model::has_ended(campaign.state);
    known.withdrawn = false;
    known.withdrawn_to = 0;
    // Who resumes a campaign waits for its pace, but not for its `finish_by`: each time it may send
    // one message before that is due.
    known.goes_on = campaign.state == CampaignState::running;
    known.feed_at = {};
    known.ends.clear();
}

void Runner::tick() {
    judge_all();
    running_changed_ = true;  // Campaigns that have no pending row any more share no device.
    for (const auto& [id, known] : known_) {
        measure(*known);
    }
    std::vector<model::CampaignId> due;
    for (const auto& [id, cleaning] : unclean_) {
        if (cleaning.at <= rooms_.clock.steady_now()) {
            due.push_back(id);
        }
    }
    std::ranges::for_each(due, [this](auto id) { clean(id); });
}

void Runner::judge_all() {
    judge_all_ = false;
    std::vector<KnownPtr> all;
    all.reserve(known_.size());
    std::ranges::transform(known_, std::back_inserter(all),
                           [](const auto& one) { return one.second; });
    std::ranges::for_each(all, [this](const auto& known) { judge(known); });
    std::erase_if(known_, [](const auto& one) { return !is_worth_knowing(*one.second->campaign); });
}

store::CampaignReader* Runner::reader() {
    if (reader_ == nullptr && rooms_.clock.steady_now() >= read_again_at_) {
        if (auto opened = rooms_.store.open_reader()) {
            reader_ = std::move(*opened);
        } else {
            read_again_at_ = rooms_.clock.steady_now() + failure_pause;
        }
    }
    return reader_ == nullptr ? nullptr : &reader_->campaigns();
}

void Runner::read_failed(Known& known, const Error& error) {
    rooms_.log.error("cannot read the rows of a campaign; trying again",
                     {{"campaign", known.campaign->id.text()}, {"why", error.describe()}});
    const auto now = rooms_.clock.steady_now();
    if (error.code != ErrorCode::damaged) {  // Damage concerns this campaign alone.
        reader_.reset();
        read_again_at_ = now + failure_pause;
    }
    known.read_pause = longer(known.read_pause);
    known.feed_at = known.read_at = now + known.read_pause;
}

Millis Runner::longer(Millis pause) {
    return std::clamp<Millis>(2 * pause, failure_pause, damage_pause_max);
}

void Runner::tell_progress() {
    const auto now = rooms_.clock.steady_now();
    for (auto next = progress_.begin(); next != progress_.end();) {
        auto& [due_at, campaign] = next->second;
        if (due_at > now) {
            ++next;
        } else if (campaign == nullptr) {  // Nothing has changed since it was told.
            next = progress_.erase(next);
        } else {
            if (rooms_.on_progress) {
                rooms_.on_progress(*campaign);
            }
            campaign.reset();
            due_at = now + progress_every;
            ++next;
        }
    }
}

}  // namespace merpati::campaign
