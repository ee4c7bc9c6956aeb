// The methods of SenderCore that follow an answer: results, and their commit.
#include <algorithm>
#include <chrono>
#include <utility>

#include "callback/answer_text.hpp"
#include "callback/batch_answer.hpp"
#include "callback/retry_table.hpp"
#include "callback/sender_core.hpp"

namespace merpati::callback {

/// The slot is free at once; the events leave `unsettled_` when their results are committed.
void SenderCore::ended(AttemptPtr attempt, const Answer& answer) {
    constexpr std::uint16_t too_large = 413;
    if (answer && answer->status == too_large && attempt->events.size() > 1) {
        halve(*attempt, answer);
        return;
    }
    if (attempt->batch && answer && !answer->is_whole && begins_object(answer->body)) {
        // Which events it asks for again may be in the part that did not come.
        ended(std::move(attempt), fail(ErrorCode::unreachable, "the answer broke off"));
        return;
    }
    auto& origin = *attempt->origin;
    const bool dropped = Backlog::drops_results(origin);
    const bool cut = dropped || (!answer && answer.error().code == ErrorCode::shutting_down);
    if (!cut) {
        record_answer(*attempt, answer);
    }
    release_slot(*attempt);
    for (const auto& event : attempt->events) {
        if (attempt->batch) {
            backlog_.release(origin, *event);
        }
        if (cut) {  // Its next owner, or the next start, repeats the attempt.
            unsettled_.erase(event->queued.callback.id);
        }
    }
    if (!cut) {
        backlog_.make_ready(origin);
        commit_results(std::move(attempt), answer);
    } else if (dropped) {
        backlog_.dropped(origin);
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
    const auto wall = clock_.wall_now();
    for (const auto& event : attempt.events) {
        auto& progress = event->queued.progress;
        ++progress.attempts;
        progress.updated_at = wall;
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
    const auto took = std::chrono::ceil<Millis>(steady_ - attempt->began);
    const auto text = answer ? answer_text(answer->body) : std::string{};
    for (const auto& event : attempt->events) {
        auto& update = updates.emplace_back();
        update.event = event->queued.callback.id;
        update.progress = event->queued.progress;
        update.took = took;
        update.answer = text;
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
