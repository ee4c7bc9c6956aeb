// The runner: queues rows in their lanes.
#include <algorithm>
#include <utility>

#include "campaign/quiet_hours.hpp"
#include "campaign/runner.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;

constexpr Millis failed_queueing_pause = 1s;
/// Rows are queued when the next one is due so soon, then all that are due in `queued_ahead`:
/// a slow campaign then needs few commits.
constexpr Millis refill_ahead = queued_ahead / 2;
/// What part of the time until `finish_by` may pass before it is counted again, and how much: the
/// wall clock may be set meanwhile.
constexpr int available_parts = 64;
constexpr Millis count_again_max = 10min;

bool wants_rows(const model::Campaign& campaign) {
    return campaign.state == CampaignState::running &&
           campaign.counts.of(model::RecipientState::pending) > 0;
}

}  // namespace

/// One batch of each account, at most, beginning after the one that had the last turn. True:
/// something was queued, so there may be more.
bool Runner::queue_some() {
    if (std::exchange(running_changed_, false)) {
        count_users();
    }
    bool any = false;
    auto turn = turns_.upper_bound(last_account_);
    for (std::size_t tried = 0; tried < turns_.size() && may_queue(); ++tried, ++turn) {
        if (turn == turns_.end()) {
            turn = turns_.begin();
        }
        if (queue_one_of(turn->second)) {
            last_account_ = turn->first;
            any = true;
        }
    }
    return any;
}

/// While one batch is being committed, the next one may wait.
bool Runner::may_queue() const {
    return rows_under_way_ < 2 * step_.rows();
}

/// A batch of the campaign that is next, if any has one.
bool Runner::queue_one_of(std::deque<model::CampaignId>& queue) {
    for (std::size_t tried = 0; tried < queue.size(); ++tried) {
        const auto id = queue.front();
        queue.pop_front();
        queue.push_back(id);
        const auto known = known_.find(id);
        if (known != known_.end() && queue_rows(known->second)) {
            return true;
        }
    }
    return false;
}

/// Counts which campaigns share which devices. Those that had their turn stay behind the others.
void Runner::count_users() {
    users_.clear();
    std::map<model::AccountId, std::set<model::CampaignId>> running;
    for (const auto& [id, known] : known_) {
        if (known->campaign->state == CampaignState::running) {
            running[known->campaign->account].insert(id);
        }
        if (wants_rows(*known->campaign)) {
            for (const auto device : known->campaign->plan.devices) {
                ++users_[device];
            }
        }
    }
    std::erase_if(turns_, [&](const auto& turn) { return !running.contains(turn.first); });
    for (auto& [account, ids] : running) {
        auto& queue = turns_[account];
        std::erase_if(queue, [&ids](auto id) { return !ids.contains(id); });
        for (const auto id : queue) {
            ids.erase(id);
        }
        queue.insert(queue.begin(), ids.begin(), ids.end());
    }
}

std::size_t Runner::users_of(model::PhoneNumber device) const {
    const auto found = users_.find(device);
    return found == users_.end() ? 1 : std::max<std::size_t>(1, found->second);
}

bool Runner::queue_rows(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = rooms_.clock.steady_now();
    if (known->queueing || !wants_rows(campaign) || known->feed_at > now ||
        !rooms_.open.may_send(campaign.id)) {
        return false;
    }
    const auto spacing = spacing_of(*known);
    const auto latest = due_max(campaign);
    auto places = free_places(campaign);
    const auto account = rooms_.directory.find_account(campaign.account);
    if (places.empty() || account == nullptr ||
        spacing.due() > std::min<Timestamp>(latest, rooms_.clock.now() + refill_ahead)) {
        return false;
    }
    auto* rows = reader();
    if (rows == nullptr) {
        return false;
    }
    auto planned = known->feed.next(campaign, *rows, spacing, latest, account->account.callback_url,
                                    places, step_.rows());
    if (!planned) {
        read_failed(*known, planned.error());
        return false;
    }
    known->read_pause = Millis{0};
    if (planned->rows.empty()) {
        return false;
    }
    submit(known, std::move(*planned));
    return known->queueing;
}

/// A device that holds more than half of its depth gets nothing, so that rows go to it in batches.
FreePlaces Runner::free_places(const model::Campaign& campaign) const {
    FreePlaces places;
    for (const auto number : campaign.plan.devices) {
        const auto device = rooms_.directory.find_device(number);
        if (device == nullptr || device->account != campaign.account || !can_send(*device)) {
            continue;
        }
        const auto depth = depth_of(device->pace);
        const auto held = loads_.of(number);
        if (held <= depth / 2) {
            const auto users = users_of(number);
            places[number] = std::max<std::size_t>(1, (depth - held) / users);
        }
    }
    return places;
}

/// The time that is left begins with the last message, if that is still to come. It is not counted
/// in each turn, because its nights may be hundreds: until its row changes, a small part of it may
/// pass.
Spacing Runner::spacing_of(Known& known) const {
    const auto& campaign = *known.campaign;
    const auto now = rooms_.clock.now();
    if (const auto zone = rooms_.open.zone_of(campaign.id);
        campaign.plan.finish_by && zone && known.count_at <= rooms_.clock.steady_now()) {
        const auto from = std::max(campaign.next_due_at, now) - rooms_.clock.offset();
        known.available = open_time(campaign.plan, *zone, from, *campaign.plan.finish_by);
        known.count_at = rooms_.clock.steady_now() +
                         std::min<Millis>(known.available / available_parts, count_again_max);
    }
    return Spacing{campaign, known.available, now,
                   known.goes_on ? Spacing::First::by_pace : Spacing::First::spread};
}

/// Rows that are due later than this stay in the campaign: also those that are due in quiet hours.
Timestamp Runner::due_max(const model::Campaign& campaign) const {
    const auto latest = rooms_.clock.now() + queued_ahead;
    const auto zone = rooms_.open.zone_of(campaign.id);
    const auto quiet = zone && campaign.plan.quiet_hours
                           ? quiet_time(*campaign.plan.quiet_hours, *zone, rooms_.clock.wall_now())
                           : std::nullopt;
    return quiet ? std::min<Timestamp>(latest, quiet->from + rooms_.clock.offset() - Millis{1})
                 : latest;
}

void Runner::submit(const KnownPtr& known, store::PlannedRows planned) {
    const auto submitted = std::make_shared<Submitted>();
    for (const auto& row : planned.rows) {
        submitted->devices.push_back(row.message ? std::optional{row.message->device}
                                                 : std::nullopt);
        if (row.message) {
            loads_.add(known->campaign->id, row.message->device);
        }
    }
    submitted->campaign = known->campaign->id;
    submitted->planned = std::move(planned);
    known->queueing = true;
    rows_under_way_ += submitted->devices.size();
    const bool taken = rooms_.committer.change(
        [this, id = known->campaign->id, submitted](store::Tables& tables) {
            const auto begun = rooms_.clock.steady_now();
            auto written = tables.campaigns().queue_rows(id, submitted->planned);
            submitted->took = rooms_.clock.steady_now() - begun;
            return written;
        },
        [this, known, submitted](const Result<void>& done) {
            rows_queued(known, submitted, done);
        });
    if (!taken) {
        rows_queued(known, submitted, fail(ErrorCode::busy, "too many commits wait"));
        box_.wake();
    }
}

/// On the committer's thread, after the commit; on the runner's, if there was none.
void Runner::rows_queued(const KnownPtr& known, const std::shared_ptr<Submitted>& submitted,
                         const Result<void>& done) {
    using Ended = store::PlannedRow::Result;
    bool credit_exhausted = false;
    auto& rows = submitted->planned.rows;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        auto& row = rows[at];
        const auto result = done ? row.result : Ended::left;
        if (result == Ended::queued) {
            ++queued_;
            rooms_.accepted(std::move(row.message));
        } else if (submitted->devices[at]) {
            loads_.remove(submitted->campaign, *submitted->devices[at]);
        }
        skipped_ += result == Ended::skipped ? 1 : 0;
        credit_exhausted = credit_exhausted || result == Ended::credit_exhausted;
    }
    ++batches_;
    post([this, known, submitted, credit_exhausted, done] {
        after_queueing(known, *submitted, credit_exhausted, done);
    });
}

void Runner::after_queueing(const KnownPtr& known, const Submitted& submitted,
                            bool credit_exhausted, const Result<void>& done) {
    known->queueing = false;
    rows_under_way_ -= submitted.devices.size();
    if (done) {
        known->goes_on = false;
        step_.note(submitted.devices.size(), submitted.took);
    }
    if (!done || credit_exhausted) {
        known->feed.begin_anew();
        known->feed_at = rooms_.clock.steady_now() + failed_queueing_pause;
    }
    if (!done && !is_passing(done.error().code)) {
        rooms_.log.error("rows of a campaign are not queued; trying again",
                         {{"campaign", known->campaign->id.text()}, {"why", done.error().detail}});
    }
    known->feed.look_again(*known->campaign);
    if (credit_exhausted) {
        pause_for_credit(known);
    }
}

}  // namespace merpati::campaign
