#include "callback/sender_core.hpp"

#include <algorithm>

#include "callback/composer.hpp"

namespace merpati::callback {
namespace {

constexpr std::size_t runs_max = 512;  // Of origins in one step; answers are read between steps.
constexpr Millis held_pause{100};
constexpr std::size_t unsettled_max = 8'192;  // Events whose results are being committed.

}  // namespace

SenderCore::SenderCore(const QueueClock& clock, Random& random, store::Committer& committer,
                       SecretLookup secrets, BatchLookup batches, const Options& options, Send send,
                       Answered answered, Post post)
    : clock_(clock),
      random_(random),
      committer_(committer),
      secrets_(std::move(secrets)),
      batches_(std::move(batches)),
      options_(options),
      send_(std::move(send)),
      answered_(std::move(answered)),
      post_(std::move(post)),
      backlog_(
          options,
          [this](const Uuid& id) { return unsettled_.contains(id) || suspects_.contains(id); }),
      suspects_(options.under_way_file, options.total_max, options.on_file_error),
      slots_(options.total_max),
      slow_slots_(std::max<std::size_t>(options.total_max / 2, 1)),
      ids_(clock, random) {}

Result<void> SenderCore::recover(std::unique_ptr<store::CallbackReader> reader) {
    set_now();
    if (auto found = suspects_.recover(*reader, steady_); !found) {
        return found;
    }
    counts_.suspects = suspects_.count();
    return backlog_.recover(std::move(reader));
}

void SenderCore::made_due(const store::Endpoint& endpoint) {
    backlog_.note_due(endpoint, Timestamp{});
}

void SenderCore::step() {
    set_now();
    note_stalled();
    held_ = options_.may_begin && !options_.may_begin();
    if (!draining_ && !held_) {
        release_suspects();
        backlog_.wake_due();
        runs_left_ = runs_max;
        serve(false);
        serve(true);
    }
    counts_.in_memory = backlog_.in_memory();
    counts_.origins = backlog_.origins();
    counts_.breakers_open = backlog_.breakers_open();
    counts_.reads_failed_total = backlog_.reads_failed();
}

SteadyTime SenderCore::next_step_at() const {
    if (draining_) {
        return SteadyTime::max();
    }
    if (held_) {
        return steady_ + held_pause;
    }
    if (runs_left_ == 0 || backlog_.is_scanning()) {
        return SteadyTime::min();
    }
    const auto stall = prompt_in_flight_.empty()
                           ? SteadyTime::max()
                           : prompt_in_flight_.front().began + Health::prompt_max + Millis{1};
    return std::min({backlog_.next_due(), suspects_.next_at(), stall});
}

void SenderCore::set_now() {
    now_ = clock_.now();
    steady_ = clock_.steady_now();
    backlog_.set_now(now_, steady_);
}

/// An attempt that hangs moves to a slow slot, so that it does not occupy one of the prompt ones.
void SenderCore::note_stalled() {
    while (!prompt_in_flight_.empty() &&
           prompt_in_flight_.front().began + Health::prompt_max < steady_) {
        auto& attempt = prompt_in_flight_.front();
        make_slow(attempt);
        attempt.origin->health.stalled();
        backlog_.make_ready(*attempt.origin);  // So that its memory is trimmed.
    }
}

void SenderCore::release_suspects() {
    while (const auto endpoint = suspects_.release(steady_)) {
        backlog_.note_due(*endpoint, Timestamp{});
    }
    counts_.suspects = suspects_.count();
}

void SenderCore::serve(bool slow) {
    auto& accounts = backlog_.ready(slow);
    const ReadyOrigins* first_blocked = nullptr;
    while (!accounts.empty() && !full() && runs_left_ > 0) {
        auto& account = accounts.front();
        if (&account == first_blocked) {
            return;
        }
        accounts.pop_front();
        if (!may_start(account.account, slow)) {
            accounts.push_back(account);
            first_blocked = first_blocked == nullptr ? &account : first_blocked;
            continue;
        }
        first_blocked = nullptr;
        auto& origin = account.origins.front();
        account.origins.pop_front();
        if (!account.origins.empty()) {
            accounts.push_back(account);
        }
        --runs_left_;
        run_origin(origin);
    }
}

bool SenderCore::full() const noexcept {
    return slots_.free() == 0 || unsettled_.size() - events_in_flight_ >= unsettled_max;
}

bool SenderCore::may_start(const AccountQueue& account, bool slow) const noexcept {
    if (!slots_.admits(account.in_flight)) {
        return false;
    }
    // Attempts of other accounts that hang may occupy all slow slots.
    const bool first = account.slow_in_flight == 0 && slots_.free() > options_.total_max / 4;
    return !slow || first || slow_slots_.admits(account.slow_in_flight);
}

void SenderCore::run_origin(OriginQueue& origin) {
    origin.account.batch = batches_(origin.account.id);
    if (!backlog_.load(origin)) {
        return;
    }
    const bool slow = !origin.health.prompt();
    const bool probe_waits = origin.health.open() && origin.health.probe_at() > steady_;
    origin.gathers_until.reset();
    if (!origin.memory.empty() && !probe_waits && origin.in_flight < backlog_.slots(origin) &&
        may_start(origin.account, slow)) {
        const auto composition = compose(origin, now_);
        if (composition.places.empty()) {
            origin.gathers_until = composition.until;
        } else {
            start(origin, composition.places);
        }
    }
    backlog_.schedule(origin);
}

void SenderCore::start(OriginQueue& origin, const std::vector<std::size_t>& places) {
    auto attempt = std::make_unique<Attempt>();
    attempt->origin = &origin;
    attempt->events = backlog_.take(origin, places);
    const auto& first = *attempt->events.front();
    if (origin.account.batch && is_status(first)) {
        attempt->batch = {.id = ids_.next(),
                          .events = static_cast<std::uint32_t>(attempt->events.size())};
    } else {
        backlog_.release(origin, first);
    }
    for (const auto& event : attempt->events) {
        unsettled_.insert(event->queued.callback.id);
    }
    take_slot(*attempt);
    const auto& url = first.queued.callback.url;
    if (!origin.url || origin.url_text != url) {
        origin.url = usable(url);
        origin.url_text = url;
    }
    if (!origin.url) {
        ended(std::move(attempt), fail(ErrorCode::refused, "not an https URL"));
        return;
    }
    if (secrets_(origin.account.id).empty()) {
        ended(std::move(attempt),
              fail(ErrorCode::damaged, "the account's signing secret cannot be read"));
        return;
    }
    for (const auto& event : attempt->events) {
        event->file_slot = suspects_.begin(event->queued.callback.id);
    }
    send(std::move(attempt));
}

void SenderCore::take_slot(Attempt& attempt) {
    auto& origin = *attempt.origin;
    attempt.began = steady_;
    ++counts_.in_flight;
    events_in_flight_ += attempt.events.size();
    ++origin.in_flight;
    origin.add_request(attempt.events.front()->address);
    ++origin.account.in_flight;
    slots_.acquire();
    if (origin.health.prompt()) {
        prompt_in_flight_.push_back(attempt);
    } else {
        make_slow(attempt);
    }
}

void SenderCore::make_slow(Attempt& attempt) {
    attempt.prompt_link.unlink();
    attempt.slow = true;
    ++counts_.slow_in_flight;
    ++attempt.origin->account.slow_in_flight;
    slow_slots_.acquire();
}

void SenderCore::release_slot(Attempt& attempt) {
    auto& origin = *attempt.origin;
    attempt.prompt_link.unlink();
    --counts_.in_flight;
    events_in_flight_ -= attempt.events.size();
    --origin.in_flight;
    origin.remove_request(attempt.events.front()->address);
    --origin.account.in_flight;
    slots_.release();
    if (attempt.slow) {
        --counts_.slow_in_flight;
        --origin.account.slow_in_flight;
        slow_slots_.release();
    }
}

std::vector<EndpointHealth> SenderCore::health(model::AccountId account) {
    set_now();
    return backlog_.health(account);
}

}  // namespace merpati::callback
