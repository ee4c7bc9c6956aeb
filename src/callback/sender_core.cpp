#include "callback/sender_core.hpp"

#include <algorithm>

#include "callback/retry_table.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {
namespace {

constexpr std::size_t turn_max = 16;
constexpr std::size_t unsettled_max = 8'192;  // Attempted, their results not committed.
constexpr Millis store_pause = 1s;            // After a failed read.
constexpr Millis memory_pause = 100ms;

/// What an operator reads of a failed attempt. Names no address.
std::string error_text(const Result<outbound::Response>& answer) {
    if (answer) {
        return "HTTP " + std::to_string(answer->status);
    }
    return std::string{to_string(answer.error().code)} + ": " + answer.error().detail;
}

AttemptResult result_of(const Result<outbound::Response>& answer) {
    if (answer) {
        switch (answer->status / 100) {
            case 2:
                return AttemptResult::delivered;
            case 3:
                return AttemptResult::redirected;
            case 4:
                return AttemptResult::refused;
            default:
                return AttemptResult::receiver_fault;
        }
    }
    switch (answer.error().code) {
        case ErrorCode::timeout:
            return AttemptResult::timeout;
        case ErrorCode::refused:
        case ErrorCode::invalid_argument:
            return AttemptResult::forbidden;
        case ErrorCode::protocol:
            return AttemptResult::broken;
        case ErrorCode::not_found:
        case ErrorCode::conflict:
        case ErrorCode::busy:
        case ErrorCode::unreachable:
        case ErrorCode::store_failed:
        case ErrorCode::damaged:
        case ErrorCode::io_failed:
        case ErrorCode::shutting_down:
            return AttemptResult::unreachable;
    }
    return AttemptResult::unreachable;
}

}  // namespace

std::string_view to_string(AttemptResult result) noexcept {
    switch (result) {
        case AttemptResult::delivered:
            return "delivered";
        case AttemptResult::redirected:
            return "redirected";
        case AttemptResult::refused:
            return "refused";
        case AttemptResult::receiver_fault:
            return "receiver_fault";
        case AttemptResult::timeout:
            return "timeout";
        case AttemptResult::unreachable:
            return "unreachable";
        case AttemptResult::forbidden:
            return "forbidden";
        case AttemptResult::broken:
            return "broken";
    }
    return "broken";
}

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
      post_(std::move(post)) {}

Result<void> SenderCore::recover(std::unique_ptr<store::Reader> reader) {
    reader_ = std::move(reader);
    auto origins = reader_->callback_origins();
    if (!origins) {
        return pass(origins);
    }
    for (const auto& summary : *origins) {
        auto& origin = origin_of(summary.origin_key);
        origin.note_on_disk(summary.due_from);
        make_ready(origin);
    }
    return {};
}

void SenderCore::add(model::Callback callback) {
    // It may have been read from the store between its commit and this call.
    if (in_flight_.contains(callback.id) || loaded_.contains(callback.id)) {
        return;
    }
    auto& origin = origin_of(callback.origin_key);
    const bool room = origin.memory.size() < options_.origin_memory_max &&
                      counts_.in_memory < options_.memory_max;
    if (room && !origin.disk_due) {
        ++counts_.in_memory;
        auto& queued = origin.memory.emplace_back();
        queued.progress.due_at = callback.created_at;
        queued.callback = std::move(callback);
    } else {
        origin.note_on_disk(callback.created_at);
    }
    make_ready(origin);
}

void SenderCore::wake(std::int64_t origin_key) {
    auto& origin = origin_of(origin_key);
    origin.note_on_disk(Timestamp{});
    make_ready(origin);
}

void SenderCore::step() {
    now_ = clock_.now();
    while (!timers_.empty() && timers_.top().at <= now_) {
        auto& origin = origin_of(timers_.top().origin_key);
        timers_.pop();
        origin.timer_at = Timestamp::max();
        make_ready(origin);
    }
    for (std::size_t turns = round_.size(); turns > 0 && !draining_; --turns) {
        auto& origin = *round_.front();
        round_.pop_front();
        origin.ready = false;
        take_turn(origin);
    }
    counts_.origins = origins_.size();
}

Timestamp SenderCore::next_step_at() const {
    // With every place taken, the next answer steps.
    const bool full = counts_.in_flight >= options_.total_max || in_flight_.size() >= unsettled_max;
    if (!round_.empty() && !full) {
        return Timestamp::min();
    }
    return timers_.empty() ? Timestamp::max() : timers_.top().at;
}

Origin& SenderCore::origin_of(std::int64_t key) {
    auto& origin = origins_[key];
    if (origin == nullptr) {
        origin = std::make_unique<Origin>();
        origin->key = key;
    }
    return *origin;
}

void SenderCore::make_ready(Origin& origin) {
    if (!origin.ready) {
        origin.ready = true;
        round_.push_back(&origin);
    }
}

void SenderCore::arm(Origin& origin, Timestamp at) {
    if (at < origin.timer_at) {
        origin.timer_at = at;
        timers_.push({.at = at, .origin_key = origin.key});
    }
}

void SenderCore::take_turn(Origin& origin) {
    if (origin.memory.size() < options_.origin_memory_max / 4 && origin.disk_due &&
        *origin.disk_due <= now_) {
        load(origin);
    }
    for (std::size_t started = 0; started < turn_max && !origin.memory.empty(); ++started) {
        const auto limit = origin.breaker.open() ? 1 : options_.per_origin_max;
        const bool probe_waits = origin.breaker.open() && origin.breaker.probe_at() > now_;
        if (probe_waits || origin.in_flight >= limit) {
            break;
        }
        if (counts_.in_flight >= options_.total_max || in_flight_.size() >= unsettled_max) {
            make_ready(origin);
            return;
        }
        start(origin);
    }
    plan_next_turn(origin);
}

void SenderCore::plan_next_turn(Origin& origin) {
    if (origin.in_flight >= (origin.breaker.open() ? 1 : options_.per_origin_max)) {
        return;  // The next answer gives it its turn.
    }
    if (!origin.memory.empty()) {
        if (origin.breaker.open() && origin.breaker.probe_at() > now_) {
            arm(origin, origin.breaker.probe_at());
        } else {
            make_ready(origin);
        }
    } else if (origin.disk_due) {
        arm(origin, *origin.disk_due > now_ ? *origin.disk_due : now_ + memory_pause);
    } else if (origin.idle() && !origin.ready) {
        // Timers name origins by key, so one that is gone is made anew if it is ever needed. One
        // that stands in the round, because an attempt of it ended at once, has a turn to come.
        origins_.erase(origin.key);
    }
}

void SenderCore::load(Origin& origin) {
    const auto room = std::min(
        options_.origin_memory_max - origin.memory.size(),
        options_.memory_max - std::min<std::size_t>(options_.memory_max, counts_.in_memory));
    if (room == 0) {
        return;
    }
    std::unordered_set<Uuid> here;
    for (const auto& queued : origin.memory) {
        here.insert(queued.callback.id);
    }
    const Timestamp before = now_ + 1ms;
    auto loaded = reader_->load_callbacks(origin.key, before, room, [&](const Uuid& id) {
        return here.contains(id) || in_flight_.contains(id);
    });
    if (!loaded) {
        arm(origin, now_ + store_pause);
        return;
    }
    const bool all = loaded->size() < room;
    for (auto& queued : *loaded) {
        ++counts_.in_memory;
        loaded_.insert(queued.callback.id);
        origin.memory.push_back(std::move(queued));
    }
    if (!all) {
        return;
    }
    const auto next = reader_->next_callback_due(origin.key, before);
    if (next) {
        origin.disk_due = *next;
    } else {
        arm(origin, now_ + store_pause);
    }
}

void SenderCore::start(Origin& origin) {
    auto queued = std::make_shared<store::QueuedCallback>(std::move(origin.memory.front()));
    origin.memory.pop_front();
    --counts_.in_memory;
    ++counts_.in_flight;
    ++origin.in_flight;
    in_flight_.insert(queued->callback.id);
    loaded_.erase(queued->callback.id);
    auto& callback = queued->callback;
    if (!origin.url || origin.url_text != callback.url) {
        auto parsed = outbound::Url::parse(callback.url);
        const bool usable = parsed && (parsed->scheme == "https" || options_.allow_http);
        origin.url = usable ? std::optional{std::move(*parsed)} : std::nullopt;
        origin.url_text = callback.url;
    }
    if (!origin.url) {
        const Result<outbound::Response> refused = fail(ErrorCode::refused, "not an https URL");
        judge(*queued, refused);
        settle(std::move(queued));
        return;
    }
    outbound::Request request;
    request.method = "POST";
    request.url = *origin.url;
    request.headers = signature_headers(secrets_(callback.account), callback.id.text(),
                                        clock_.wall_now(), callback.body);
    request.headers += "Content-Type: application/json\r\n";
    request.body = std::move(callback.body);  // Another attempt reads it from the store.
    request.timeout = options_.timeout;
    request.head_suffices = true;  // Any 2xx is success, whatever the body (decisions.md).
    attempt_(std::move(request),
             [this, queued = std::move(queued)](const Result<outbound::Response>& answer) mutable {
                 now_ = clock_.now();
                 judge(*queued, answer);
                 settle(std::move(queued));
                 answered_();
             });
}

void SenderCore::judge(store::QueuedCallback& queued, const Result<outbound::Response>& answer) {
    auto& origin = origin_of(queued.callback.origin_key);
    auto& progress = queued.progress;
    ++progress.attempts;
    progress.updated_at = now_;
    progress.last_status = answer ? answer->status : std::uint16_t{0};
    const bool was_open = origin.breaker.open();
    ++counts_.attempts[static_cast<std::size_t>(result_of(answer))];
    if (answer && answer->status >= 200 && answer->status < 300) {
        progress.state = model::CallbackState::delivered;
        progress.last_error.clear();
        origin.breaker.succeeded();
    } else {
        progress.last_error = error_text(answer);
        origin.breaker.failed(now_);
        const auto asked = answer
                               ? parse_retry_after(answer->header("retry-after"), clock_.wall_now())
                               : std::nullopt;
        if (answer && answer->status == 410) {
            progress.state = model::CallbackState::gone;
        } else if (const auto next = next_attempt(now_, progress.attempts, asked, random_)) {
            progress.due_at = *next;
        } else {
            progress.state = model::CallbackState::exhausted;
            ++counts_.exhausted_total;
        }
    }
    counts_.breakers_open += origin.breaker.open() ? 1 : 0;
    counts_.breakers_open -= was_open ? 1 : 0;
}

/// The place among the attempts is free at once; the callback itself is let go of when its result
/// is durable.
void SenderCore::settle(std::shared_ptr<store::QueuedCallback> queued) {
    auto& origin = origin_of(queued->callback.origin_key);
    --counts_.in_flight;
    --origin.in_flight;
    make_ready(origin);
    store::CallbackUpdate update{.event = queued->callback.id, .progress = queued->progress};
    committer_.update_callback(std::move(update), [this, queued = std::move(queued)]() mutable {
        post_([this, queued = std::move(queued)] { settled(*queued); });
    });
}

void SenderCore::settled(const store::QueuedCallback& queued) {
    in_flight_.erase(queued.callback.id);
    if (queued.progress.state == model::CallbackState::waiting) {
        auto& origin = origin_of(queued.callback.origin_key);
        origin.note_on_disk(queued.progress.due_at);
        make_ready(origin);
    }
}

}  // namespace merpati::callback
