#include "callback/sender_core.hpp"

#include <algorithm>

#include "callback/retry_table.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

constexpr std::size_t turns_max = 512;        // Of one step: answers are read between two.
constexpr std::size_t unsettled_max = 8'192;  // Attempted, their results not committed.

}  // namespace

SenderCore::SenderCore(const QueueClock& clock, Random& random, store::Committer& committer,
                       SecretLookup secrets, const Options& options, Attempt attempt,
                       Answered answered, Post post)
    : clock_(clock),
      random_(random),
      committer_(committer),
      secrets_(std::move(secrets)),
      options_(options),
      attempt_(std::move(attempt)),
      answered_(std::move(answered)),
      post_(std::move(post)),
      backlog_(options,
               [this](const Uuid& id) { return held_.contains(id) || suspects_.holds(id); }),
      suspects_(options.under_way_file, options.total_max),
      places_(options.total_max),
      slow_places_(std::max<std::size_t>(options.total_max / 2, 1)) {}

Result<void> SenderCore::recover(std::unique_ptr<store::Reader> reader) {
    set_now();
    if (auto found = suspects_.recover(*reader, steady_); !found) {
        return found;
    }
    counts_.suspects = suspects_.count();
    return backlog_.recover(std::move(reader));
}

void SenderCore::wake(const store::Endpoint& endpoint) {
    backlog_.note(endpoint, Timestamp{});
}

void SenderCore::step() {
    set_now();
    note_stalled();
    if (!draining_) {
        release_suspects();
        backlog_.wake_due();
        turns_left_ = turns_max;
        serve(false);
        serve(true);
    }
    counts_.in_memory = backlog_.in_memory();
    counts_.origins = backlog_.origins();
}

SteadyTime SenderCore::next_step_at() const {
    if (draining_) {
        return SteadyTime::max();
    }
    if (turns_left_ == 0 || backlog_.lists()) {
        return SteadyTime::min();
    }
    const auto stall =
        young_.empty() ? SteadyTime::max() : young_.front().began + Health::prompt_max + Millis{1};
    return std::min({backlog_.next_due(), suspects_.next_at(), stall});
}

void SenderCore::set_now() {
    now_ = clock_.now();
    steady_ = clock_.steady_now();
    backlog_.set_now(now_, steady_);
}

/// What hangs is not waited for in a place of those that do not.
void SenderCore::note_stalled() {
    while (!young_.empty() && young_.front().began + Health::prompt_max < steady_) {
        auto& delivery = young_.front();
        make_slow(delivery);
        delivery.origin->health.stalled();
        backlog_.make_ready(*delivery.origin);  // It has too much in memory now.
    }
}

void SenderCore::release_suspects() {
    while (const auto endpoint = suspects_.release(steady_)) {
        backlog_.note(*endpoint, Timestamp{});
    }
    counts_.suspects = suspects_.count();
}

void SenderCore::serve(bool slow) {
    auto& round = backlog_.round(slow);
    const AccountTurn* first_blocked = nullptr;
    while (!round.empty() && !full() && turns_left_ > 0) {
        auto& turn = round.front();
        if (&turn == first_blocked) {
            return;
        }
        round.pop_front();
        if (!may_start(turn.account, slow)) {
            round.push_back(turn);
            first_blocked = first_blocked == nullptr ? &turn : first_blocked;
            continue;
        }
        first_blocked = nullptr;
        auto& origin = turn.ready.front();
        turn.ready.pop_front();
        if (!turn.ready.empty()) {
            round.push_back(turn);
        }
        --turns_left_;
        take_turn(origin);
    }
}

bool SenderCore::full() const noexcept {
    return places_.free() == 0 || held_.size() >= unsettled_max;
}

bool SenderCore::may_start(const AccountQueue& account, bool slow) const noexcept {
    if (!places_.open_to(account.in_flight)) {
        return false;
    }
    // Others may have come first, and hang in all places of the slow ones.
    const bool first = account.slow_in_flight == 0 && places_.free() > options_.total_max / 4;
    return !slow || first || slow_places_.open_to(account.slow_in_flight);
}

void SenderCore::take_turn(OriginQueue& origin) {
    if (!backlog_.fill(origin)) {
        return;
    }
    const bool slow = !origin.health.prompt();
    const bool probe_waits = origin.health.open() && origin.health.probe_at() > steady_;
    if (!origin.memory.empty() && !probe_waits && origin.in_flight < origin.health.slots() &&
        may_start(origin.account, slow)) {
        start(origin);
    }
    backlog_.plan(origin);
}

void SenderCore::start(OriginQueue& origin) {
    auto delivery = backlog_.take(origin);
    held_.insert(delivery->queued.callback.id);
    take_place(*delivery);
    const auto& url = delivery->queued.callback.url;
    if (!origin.url || origin.url_text != url) {
        auto parsed = outbound::Url::parse(url);
        const bool usable = parsed && (parsed->scheme == "https" || options_.allow_http);
        origin.url = usable ? std::optional{std::move(*parsed)} : std::nullopt;
        origin.url_text = url;
    }
    if (!origin.url) {
        ended(std::move(delivery), fail(ErrorCode::refused, "not an https URL"));
        return;
    }
    delivery->name = suspects_.begin(delivery->queued.callback.id);
    attempt(std::move(delivery));
}

void SenderCore::take_place(Delivery& delivery) {
    auto& origin = *delivery.origin;
    delivery.began = steady_;
    ++counts_.in_flight;
    ++origin.in_flight;
    ++origin.account.in_flight;
    places_.take();
    if (origin.health.prompt()) {
        young_.push_back(delivery);
    } else {
        make_slow(delivery);
    }
}

void SenderCore::make_slow(Delivery& delivery) {
    delivery.young.unlink();
    delivery.slow = true;
    ++counts_.slow_in_flight;
    ++delivery.origin->account.slow_in_flight;
    slow_places_.take();
}

void SenderCore::give_place_back(Delivery& delivery) {
    auto& origin = *delivery.origin;
    delivery.young.unlink();
    --counts_.in_flight;
    --origin.in_flight;
    --origin.account.in_flight;
    places_.give_back();
    if (delivery.slow) {
        --counts_.slow_in_flight;
        --origin.account.slow_in_flight;
        slow_places_.give_back();
    }
}

void SenderCore::attempt(DeliveryPtr delivery) {
    auto request = request_for(delivery->queued, *delivery->origin->url);
    request.body = std::move(delivery->queued.callback.body);  // The store has it for another one.
    attempt_(std::move(request), [this, delivery = std::move(delivery)](
                                     const Result<outbound::Response>& answer) mutable {
        set_now();
        suspects_.end(delivery->name);
        ended(std::move(delivery), answer);
        answered_();
    });
}

outbound::Request SenderCore::request_for(const store::QueuedCallback& queued,
                                          const outbound::Url& url) const {
    const auto& callback = queued.callback;
    outbound::Request request;
    request.method = "POST";
    request.url = url;
    request.headers = signature_headers(secrets_(callback.account), callback.id.text(),
                                        clock_.wall_now(), callback.body);
    request.headers += "Content-Type: application/json\r\n";
    request.timeout = options_.timeout;
    request.head_suffices = true;  // Any 2xx is success, whatever the body (decisions.md).
    return request;
}

/// The place among the attempts is free at once; the callback itself is let go of when its result
/// is durable.
void SenderCore::ended(DeliveryPtr delivery, const Result<outbound::Response>& answer) {
    auto& origin = *delivery->origin;
    const bool cut = !answer && answer.error().code == ErrorCode::shutting_down;
    if (!cut) {
        judge(*delivery, answer);
    }
    give_place_back(*delivery);
    if (cut) {  // By the stop, not by the receiver: the next start makes the attempt anew.
        held_.erase(delivery->queued.callback.id);
        return;
    }
    backlog_.make_ready(origin);
    settle(std::move(delivery));
}

void SenderCore::judge(Delivery& delivery, const Result<outbound::Response>& answer) {
    auto& health = delivery.origin->health;
    auto& progress = delivery.queued.progress;
    ++progress.attempts;
    progress.updated_at = clock_.wall_now();
    progress.last_status = answer ? answer->status : std::uint16_t{0};
    ++counts_.attempts[static_cast<std::size_t>(result_of(answer))];
    const auto said = answer_of(answer);
    const bool was_open = health.open();
    health.answered(said, steady_, std::chrono::ceil<Millis>(steady_ - delivery.began),
                    delivery.origin->in_flight >= health.slots());
    counts_.breakers_open += health.open() ? 1 : 0;
    counts_.breakers_open -= was_open ? 1 : 0;
    if (said == Health::Answer::taken) {
        progress.state = model::CallbackState::delivered;
        progress.last_error.clear();
        return;
    }
    progress.last_error = error_text(answer);
    const auto asked =
        answer ? parse_retry_after(answer->header("retry-after"), clock_.wall_now()) : std::nullopt;
    if (answer && answer->status == 410) {
        progress.state = model::CallbackState::gone;
    } else if (const auto next = next_attempt(now_, progress.attempts, asked, random_)) {
        progress.due_at = *next;
    } else {
        progress.state = model::CallbackState::exhausted;
        ++counts_.exhausted_total;
    }
}

void SenderCore::settle(DeliveryPtr delivery) {
    delivery->origin = nullptr;  // Its queue may go meanwhile.
    store::CallbackUpdate update{.event = delivery->queued.callback.id,
                                 .progress = delivery->queued.progress};
    committer_.update_callback(std::move(update), [this, delivery = std::move(delivery)]() mutable {
        post_([this, delivery = std::move(delivery)] { settled(*delivery); });
    });
}

void SenderCore::settled(const Delivery& delivery) {
    const auto& [callback, progress] = delivery.queued;
    held_.erase(callback.id);
    if (progress.state == model::CallbackState::waiting) {
        backlog_.note({.account = callback.account, .origin_key = callback.origin_key},
                      progress.due_at);
    }
}

}  // namespace merpati::callback
