#include "callback/sender_core.hpp"

#include <algorithm>

#include "callback/answer_text.hpp"
#include "callback/batch_answer.hpp"
#include "callback/composer.hpp"
#include "callback/retry_table.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

constexpr std::size_t runs_max = 512;  // Of origins in one step; answers are read between steps.
constexpr std::size_t unsettled_max = 8'192;  // Events whose results are being committed.

constexpr const char* asked_again_text = "the receiver asked for it again";

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

void SenderCore::send(AttemptPtr attempt) {
    auto& first = attempt->events.front()->queued.callback;
    // A retry of a single callback reads its body from the store. A batch may be halved.
    auto body = attempt->batch ? batch_body(attempt->events) : std::move(first.body);
    auto request = request_for(first, *attempt->origin->url, std::move(body), attempt->batch);
    send_(std::move(request), [this, attempt = std::move(attempt)](const Answer& answer) mutable {
        set_now();
        for (const auto& event : attempt->events) {
            suspects_.end(event->file_slot);
        }
        ended(std::move(attempt), answer);
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
    const auto id = callback.id;
    std::optional<model::PostedBatch> batch;
    std::string body = callback.body;
    if (batches_(callback.account)) {
        batch = {.id = ids_.next(), .events = 1};
        auto event = std::make_unique<Delivery>();
        event->queued.callback = callback;
        body = batch_body({&event, 1});
    }
    auto request = request_for(callback, *url, std::move(body), batch);
    send_(std::move(request), [this, id, batch, began = clock_.steady_now(),
                               done = std::move(done)](const Answer& answer) mutable {
        --tests_;
        model::CallbackAttempt attempt{
            .number = 1,
            .at = clock_.wall_now(),
            .took = std::chrono::ceil<Millis>(clock_.steady_now() - began),
            .batch = batch};
        if (answer) {
            attempt.status = answer->status;
            attempt.answer = answer_text(answer->body);
        }
        if (answer_of(answer) != Health::Answer::success) {
            attempt.error = error_text(answer);
        } else if (batch && asked_again(answer->body).contains(id)) {
            attempt.error = asked_again_text;
        }
        done(std::move(attempt));
    });
}

std::vector<EndpointHealth> SenderCore::health(model::AccountId account) {
    set_now();
    return backlog_.health(account);
}

outbound::Request SenderCore::request_for(const model::Callback& callback, const outbound::Url& url,
                                          std::string body,
                                          const std::optional<model::PostedBatch>& batch) {
    outbound::Request request;
    request.method = "POST";
    request.url = url;
    request.headers =
        signature_headers(secrets_(callback.account), batch ? batch->id.text() : callback.id.text(),
                          clock_.wall_now(), body);
    request.headers += "Content-Type: application/json\r\n";
    request.body = std::move(body);
    request.timeout = options_.timeout;
    request.head_suffices = true;  // Any 2xx is success, whatever the body.
    if (batch) {
        request.body_wait = options_.timeout;  // It may ask for some events again.
        request.body_bytes_max = batch_answer_bytes_max + 1;
    }
    return request;
}

/// The slot is free at once; the events leave `unsettled_` when their results are committed.
void SenderCore::ended(AttemptPtr attempt, const Answer& answer) {
    constexpr std::uint16_t too_large = 413;
    if (answer && answer->status == too_large && attempt->events.size() > 1) {
        halve(*attempt, answer);
        return;
    }
    auto& origin = *attempt->origin;
    const bool cut = !answer && answer.error().code == ErrorCode::shutting_down;
    if (!cut) {
        record_answer(*attempt, answer);
    }
    release_slot(*attempt);
    for (const auto& event : attempt->events) {
        if (attempt->batch) {
            backlog_.release(origin, *event);
        }
        if (cut) {  // Interrupted by `stop`: the next start repeats the attempt.
            unsettled_.erase(event->queued.callback.id);
        }
    }
    if (!cut) {
        backlog_.make_ready(origin);
        commit_results(std::move(attempt), answer);
    }
}

/// Puts the events of a batch back, to go in two halves. That is no attempt.
void SenderCore::halve(Attempt& attempt, const Answer& answer) {
    const auto half = (attempt.events.size() + 1) / 2;
    backlog_.answered(*attempt.origin, answer_of(answer),
                      std::chrono::ceil<Millis>(steady_ - attempt.began), 1);
    release_slot(attempt);
    for (const auto& event : attempt.events) {
        unsettled_.erase(event->queued.callback.id);
        event->events_max = half;
        event->at_once = true;
    }
    backlog_.put_back(*attempt.origin, std::move(attempt.events));
    backlog_.make_ready(*attempt.origin);
}

void SenderCore::record_answer(Attempt& attempt, const Answer& answer) {
    const auto kind = answer_of(answer);
    const bool taken = kind == Health::Answer::success;
    backlog_.answered(*attempt.origin, kind, std::chrono::ceil<Millis>(steady_ - attempt.began),
                      attempt.events.size());
    const auto again =
        taken && attempt.batch ? asked_again(answer->body) : std::unordered_set<Uuid>{};
    // All of them have been attempted equally often.
    std::optional<Timestamp> next;
    if (!taken || !again.empty()) {
        const auto asked = answer
                               ? parse_retry_after(answer->header("retry-after"), clock_.wall_now())
                               : std::nullopt;
        next = next_attempt(now_, attempt.events.front()->queued.progress.attempts + 1, asked,
                            random_);
    }
    for (const auto& event : attempt.events) {
        auto& progress = event->queued.progress;
        ++progress.attempts;
        progress.updated_at = clock_.wall_now();
        progress.last_status = answer ? answer->status : std::uint16_t{0};
        progress.batch = attempt.batch;
        const bool asks_again = again.contains(event->queued.callback.id);
        const auto result = asks_again ? AttemptResult::asked_again : result_of(answer);
        ++counts_.attempts[static_cast<std::size_t>(result)];
        if (taken && !asks_again) {
            progress.state = model::CallbackState::delivered;
            progress.last_error.clear();
            continue;
        }
        progress.last_error = asks_again ? asked_again_text : error_text(answer);
        if (answer && answer->status == 410) {
            progress.state = model::CallbackState::gone;
        } else if (next) {
            progress.due_at = *next;
        } else {
            progress.state = model::CallbackState::exhausted;
            ++counts_.exhausted_total;
        }
    }
}

void SenderCore::commit_results(AttemptPtr attempt, const Answer& answer) {
    ++attempt->origin->committing;  // Its queue, and so its health, stays until then.
    std::vector<store::CallbackUpdate> updates;
    updates.reserve(attempt->events.size());
    for (const auto& event : attempt->events) {
        auto& update = updates.emplace_back();
        update.event = event->queued.callback.id;
        update.progress = event->queued.progress;
        update.took = std::chrono::ceil<Millis>(steady_ - attempt->began);
        if (answer) {
            update.answer = answer_text(answer->body);
        }
    }
    committer_.update_callbacks(std::move(updates), [this, attempt = std::move(attempt)]() mutable {
        post_([this, attempt = std::move(attempt)] { results_committed(*attempt); });
    });
}

void SenderCore::results_committed(const Attempt& attempt) {
    std::optional<Timestamp> again;
    for (const auto& event : attempt.events) {
        const auto& [callback, progress] = event->queued;
        unsettled_.erase(callback.id);
        if (options_.on_attempt) {
            options_.on_attempt(event->queued);
        }
        if (progress.state == model::CallbackState::waiting) {
            again = std::min(again.value_or(progress.due_at), progress.due_at);
        }
    }
    backlog_.committed(*attempt.origin, again);
}

}  // namespace merpati::callback
