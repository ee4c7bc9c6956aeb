#include "callback/sender_core.hpp"

#include <algorithm>

#include "callback/answer_text.hpp"
#include "callback/retry_table.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

constexpr std::size_t runs_max = 512;  // Of origins in one step; answers are read between steps.
constexpr std::size_t unsettled_max = 8'192;  // Attempts whose results are not committed.

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
      backlog_(
          options,
          [this](const Uuid& id) { return unsettled_.contains(id) || suspects_.contains(id); }),
      suspects_(options.under_way_file, options.total_max, options.on_file_error),
      slots_(options.total_max),
      slow_slots_(std::max<std::size_t>(options.total_max / 2, 1)) {}

Result<void> SenderCore::recover(std::unique_ptr<store::Reader> reader) {
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
    if (!draining_) {
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
        auto& delivery = prompt_in_flight_.front();
        make_slow(delivery);
        delivery.origin->health.stalled();
        backlog_.make_ready(*delivery.origin);  // So that its memory is trimmed.
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
    return slots_.free() == 0 || unsettled_.size() >= unsettled_max;
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
    if (!backlog_.load(origin)) {
        return;
    }
    const bool slow = !origin.health.prompt();
    const bool probe_waits = origin.health.open() && origin.health.probe_at() > steady_;
    if (!origin.memory.empty() && !probe_waits && origin.in_flight < origin.health.slots() &&
        may_start(origin.account, slow)) {
        start(origin);
    }
    backlog_.schedule(origin);
}

void SenderCore::start(OriginQueue& origin) {
    auto delivery = backlog_.pop(origin);
    unsettled_.insert(delivery->queued.callback.id);
    take_slot(*delivery);
    const auto& url = delivery->queued.callback.url;
    if (!origin.url || origin.url_text != url) {
        origin.url = usable(url);
        origin.url_text = url;
    }
    if (!origin.url) {
        attempt_ended(std::move(delivery), fail(ErrorCode::refused, "not an https URL"));
        return;
    }
    if (secrets_(delivery->queued.callback.account).empty()) {
        attempt_ended(std::move(delivery),
                      fail(ErrorCode::damaged, "the account's signing secret cannot be read"));
        return;
    }
    delivery->file_slot = suspects_.begin(delivery->queued.callback.id);
    attempt(std::move(delivery));
}

void SenderCore::take_slot(Delivery& delivery) {
    auto& origin = *delivery.origin;
    delivery.began = steady_;
    ++counts_.in_flight;
    ++origin.in_flight;
    ++origin.account.in_flight;
    slots_.acquire();
    if (origin.health.prompt()) {
        prompt_in_flight_.push_back(delivery);
    } else {
        make_slow(delivery);
    }
}

void SenderCore::make_slow(Delivery& delivery) {
    delivery.prompt_link.unlink();
    delivery.slow = true;
    ++counts_.slow_in_flight;
    ++delivery.origin->account.slow_in_flight;
    slow_slots_.acquire();
}

void SenderCore::release_slot(Delivery& delivery) {
    auto& origin = *delivery.origin;
    delivery.prompt_link.unlink();
    --counts_.in_flight;
    --origin.in_flight;
    --origin.account.in_flight;
    slots_.release();
    if (delivery.slow) {
        --counts_.slow_in_flight;
        --origin.account.slow_in_flight;
        slow_slots_.release();
    }
}

void SenderCore::attempt(DeliveryPtr delivery) {
    auto request = request_for(delivery->queued.callback, *delivery->origin->url);
    request.body = std::move(delivery->queued.callback.body);  // A retry reads it from the store.
    attempt_(std::move(request), [this, delivery = std::move(delivery)](
                                     const Result<outbound::Response>& answer) mutable {
        set_now();
        suspects_.end(delivery->file_slot);
        attempt_ended(std::move(delivery), answer);
        answered_();
    });
}

std::optional<outbound::Url> SenderCore::usable(const std::string& url) const {
    auto parsed = outbound::Url::parse(url);
    const bool fits = parsed && (parsed->scheme == "https" || options_.allow_http);
    return fits ? std::optional{std::move(*parsed)} : std::nullopt;
}

void SenderCore::test(model::Callback callback,
                      std::move_only_function<void(Result<model::CallbackAttempt>)> done) {
    const auto url = usable(callback.url);
    if (draining_ || tests_ >= Sender::tests_max || !url) {
        done(draining_ ? fail(ErrorCode::shutting_down, "the server is stopping")
             : url     ? fail(ErrorCode::busy, "other tests are under way: try again")
                       : fail(ErrorCode::refused, "not an https URL"));
        return;
    }
    ++tests_;
    auto request = request_for(callback, *url);
    request.body = std::move(callback.body);
    attempt_(std::move(request), [this, began = clock_.steady_now(), done = std::move(done)](
                                     const Result<outbound::Response>& answer) mutable {
        --tests_;
        model::CallbackAttempt attempt{
            .number = 1,
            .at = clock_.wall_now(),
            .took = std::chrono::ceil<Millis>(clock_.steady_now() - began)};
        if (answer) {
            attempt.status = answer->status;
            attempt.answer = answer_text(answer->body);
        }
        if (answer_of(answer) != Health::Answer::success) {
            attempt.error = error_text(answer);
        }
        done(std::move(attempt));
    });
}

std::vector<EndpointHealth> SenderCore::health(model::AccountId account) {
    set_now();
    return backlog_.health(account);
}

outbound::Request SenderCore::request_for(const model::Callback& callback,
                                          const outbound::Url& url) const {
    outbound::Request request;
    request.method = "POST";
    request.url = url;
    request.headers = signature_headers(secrets_(callback.account), callback.id.text(),
                                        clock_.wall_now(), callback.body);
    request.headers += "Content-Type: application/json\r\n";
    request.timeout = options_.timeout;
    request.head_suffices = true;  // Any 2xx is success, whatever the body.
    return request;
}

/// The slot is free at once; the callback leaves `unsettled_` when its result is committed.
void SenderCore::attempt_ended(DeliveryPtr delivery, const Result<outbound::Response>& answer) {
    auto& origin = *delivery->origin;
    const bool cut = !answer && answer.error().code == ErrorCode::shutting_down;
    if (!cut) {
        record_answer(*delivery, answer);
    }
    release_slot(*delivery);
    if (cut) {  // Interrupted by `stop`: the next start repeats the attempt.
        unsettled_.erase(delivery->queued.callback.id);
        return;
    }
    backlog_.make_ready(origin);
    commit_result(std::move(delivery), answer);
}

void SenderCore::record_answer(Delivery& delivery, const Result<outbound::Response>& answer) {
    auto& progress = delivery.queued.progress;
    ++progress.attempts;
    progress.updated_at = clock_.wall_now();
    progress.last_status = answer ? answer->status : std::uint16_t{0};
    ++counts_.attempts[static_cast<std::size_t>(result_of(answer))];
    const auto kind = answer_of(answer);
    backlog_.answered(*delivery.origin, kind, std::chrono::ceil<Millis>(steady_ - delivery.began));
    if (kind == Health::Answer::success) {
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

void SenderCore::commit_result(DeliveryPtr delivery, const Result<outbound::Response>& answer) {
    ++delivery->origin->committing;  // Its queue, and so its health, stays until then.
    store::CallbackUpdate update{.event = delivery->queued.callback.id,
                                 .progress = delivery->queued.progress,
                                 .took = std::chrono::ceil<Millis>(steady_ - delivery->began)};
    if (answer) {
        update.answer = answer_text(answer->body);
    }
    committer_.update_callback(
        std::move(update), [this, delivery = std::move(delivery)](store::CallbackUpdate&&) mutable {
            post_([this, delivery = std::move(delivery)] { result_committed(*delivery); });
        });
}

void SenderCore::result_committed(const Delivery& delivery) {
    const auto& [callback, progress] = delivery.queued;
    unsettled_.erase(callback.id);
    if (options_.on_attempt) {
        options_.on_attempt(delivery.queued);
    }
    const bool again = progress.state == model::CallbackState::waiting;
    backlog_.committed(*delivery.origin, again ? std::optional{progress.due_at} : std::nullopt);
}

}  // namespace merpati::callback
