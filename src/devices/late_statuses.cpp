#include "devices/late_statuses.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "model/texts.hpp"
#include "scheduler/doubt.hpp"
#include "scheduler/platform_text.hpp"

namespace merpati::devices {
namespace {

using model::MessageState;
using model::PassingFailure;
using model::Progress;
using model::StatusCode;

/// Sets `value` to `to` if that is less.
void lower(std::atomic<Timestamp>& value, Timestamp to) {
    auto was = value.load();
    while (to < was && !value.compare_exchange_weak(was, to)) {
    }
}

model::Completion completion_of(const model::PlatformStatus& status) {
    if (status.progress == Progress::failed) {
        return {.state = MessageState::failed,
                .code = status.code == StatusCode::sent ? StatusCode::failed : status.code,
                .details = scheduler::of_platform(status.details, model::details::failed)};
    }
    return {.state = MessageState::sent,
            .code = StatusCode::sent,
            .details = scheduler::of_platform(status.details, model::details::sent)};
}

model::Completion undecided_completion() {
    return {.state = MessageState::failed,
            .code = StatusCode::failed,
            .details = std::string{model::details::undecided}};
}

/// What the connector says that a failure means; empty: it ends its message.
std::optional<PassingFailure> passing_of(const connector::LateStatus& late, Timestamp now) {
    if (late.status.progress != Progress::failed || !late.verdict) {
        return std::nullopt;
    }
    const auto& verdict = *late.verdict;
    const auto asked =
        verdict.retry_after.transform([now](Millis wait) -> Timestamp { return now + wait; });
    switch (verdict.kind) {
        case model::Outcome::Kind::retry:
            return PassingFailure{.kind = verdict.as_template ? PassingFailure::Kind::as_template
                                                              : PassingFailure::Kind::retry,
                                  .until = asked};
        case model::Outcome::Kind::device_down:
            return PassingFailure{.kind = PassingFailure::Kind::device_down, .until = asked};
        case model::Outcome::Kind::restricted:
            return PassingFailure{.kind = PassingFailure::Kind::restricted,
                                  .until = verdict.restricted_until};
        case model::Outcome::Kind::sent:
        case model::Outcome::Kind::accepted:
        case model::Outcome::Kind::failed:
        case model::Outcome::Kind::unknown:
            break;
    }
    return std::nullopt;
}

/// The fallback template replaces only a text, and only once.
bool may_go_as_template(const store::PlatformMessage& found) {
    return found.message.type == model::MessageType::text &&
           found.message.filled_template == nullptr && !found.as_template;
}

store::Reschedule place_of(const store::PlatformMessage& found) {
    return {.message = found.message.id,
            .device = found.message.device,
            .source = found.message.source,
            .queue_at = found.message.due_at,
            .attempts = found.attempts,
            .failing_since = found.failing_since,
            .crashes = found.crashes,
            .perhaps_sent = found.perhaps_sent,
            .as_template = found.as_template};
}

}  // namespace

void LateStatuses::start() {
    grace_until_ = rooms_.clock.now() + start_grace;
    next_ = Timestamp{};
}

void LateStatuses::handed_over(Timestamp decide_by) {
    lower(next_, decide_by);
}

Result<void> LateStatuses::take(store::Tables& tables, const model::Device& device,
                                const connector::LateStatus& late, Ended& ended) const {
    auto status = late.status;
    status.passing = passing_of(late, rooms_.clock.wall_now());
    auto noted = tables.note_status(device.number, late.platform_id, status, rooms_.clock.now());
    if (!noted || !noted->is_news) {
        return noted ? Result<void>{} : pass(noted);
    }
    auto found = std::move(noted->message);
    bool is_awaited = found && found->decide_by;
    if (found && found->message.account != device.account &&
        !rooms_.ownership.works_for(found->message.account)) {
        // Its number belonged to an account of another node before. What is awaited is decided
        // there, by the status that is stored now.
        if (is_awaited) {
            return {};
        }
    } else if (found) {
        auto counted = tables.count_report(found->message, status.progress, rooms_.clock.now());
        if (!counted) {
            return counted;
        }
    }
    if (!found && late.message) {
        const auto named = tables.name_message(device, late.platform_id, *late.message);
        if (!named) {
            return std::unexpected(named.error());
        }
        is_awaited = *named != store::Named::nothing;
        if (*named == store::Named::awaiting) {
            auto awaited = tables.find_platform_message(device.number, late.platform_id);
            if (!awaited) {
                return pass(awaited);
            }
            found = std::move(*awaited);
        }
    }
    const auto id = found ? std::optional{found->message.id} : late.message;
    auto owner = found ? std::optional{found->message.account} : std::nullopt;
    if (found && is_awaited) {
        if (auto done = settle(tables, std::move(*found), &status, ended); !done) {
            return done;
        }
    }
    // No webhook notice of an end: the message's callback reports it.
    const bool is_end =
        status.progress == Progress::sent || (is_awaited && status.progress == Progress::failed);
    if (is_end || !id) {
        return {};
    }
    if (!owner) {
        const auto named = tables.owner_of_message(*id, device.number);
        if (!named) {
            return pass(named);
        }
        owner = *named;
    }
    return tell(tables, &device,
                {.message = *id, .owner = owner, .platform_id = late.platform_id, .status = status},
                ended);
}

/// Decides a message that is handed over. `status` is null if none came in time.
Result<void> LateStatuses::settle(store::Tables& tables, store::PlatformMessage&& found,
                                  const model::PlatformStatus* status, Ended& ended) const {
    if (status != nullptr) {
        const auto& passing = status->passing;
        const bool goes_back = passing && (passing->kind != PassingFailure::Kind::as_template ||
                                           may_go_as_template(found));
        return goes_back ? give_back(tables, std::move(found), *status, ended)
                         : end(tables, std::move(found), completion_of(*status), ended);
    }
    switch (found.without_status) {
        case model::WithoutStatus::failed:
            return end(tables, std::move(found), undecided_completion(), ended);
        case model::WithoutStatus::sent:
            return end(tables, std::move(found),
                       {.state = MessageState::sent,
                        .code = StatusCode::sent,
                        .details = std::string{model::details::sent}},
                       ended);
        case model::WithoutStatus::repeated:
            return repeat(tables, std::move(found), ended);
        case model::WithoutStatus::held:
            return end(tables, std::move(found),
                       {.state = MessageState::held,
                        .code = StatusCode::failed,
                        .details = std::string{model::details::held}},
                       ended);
    }
    return {};
}

/// After a passing failure.
Result<void> LateStatuses::give_back(store::Tables& tables, store::PlatformMessage&& found,
                                     const model::PlatformStatus& status, Ended& ended) const {
    const auto now = rooms_.clock.now();
    const auto wall = rooms_.clock.wall_now();
    const auto asked = status.passing->until.transform([wall](Timestamp until) {
        return std::max(std::chrono::ceil<Millis>(until - wall), Millis{0});
    });
    auto place = place_of(found);
    place.last_details = scheduler::of_platform(status.details);
    std::optional<Millis> down_for;
    switch (status.passing->kind) {
        case PassingFailure::Kind::retry: {
            place.failing_since = found.failing_since.value_or(now);
            const auto next =
                rooms_.retry.next(now, *place.failing_since, found.attempts, asked, rooms_.random);
            if (!next) {
                return end(tables, std::move(found), scheduler::gave_up(place.last_details), ended);
            }
            place.queue_at = *next;
            break;
        }
        case PassingFailure::Kind::as_template:
            place.as_template = true;
            place.attempts -= std::min(place.attempts, 1U);
            break;
        case PassingFailure::Kind::device_down:
            place.attempts -= std::min(place.attempts, 1U);
            down_for = asked.value_or(Millis{0});
            break;
        case PassingFailure::Kind::restricted:
            place.attempts -= std::min(place.attempts, 1U);
            place.failing_since.reset();
            place.queue_at =
                now + scheduler::restriction_wait(wall, status.passing->until.value_or(wall));
            break;
    }
    const auto until = std::max(wall, wall + (place.queue_at - now));
    place.events = {
        status.passing->kind == PassingFailure::Kind::restricted
            ? model::MessageEvent::wait(model::WaitReason::restricted, wall, until)
            : model::MessageEvent{.step = model::MessageStep::attempted,
                                  .at = wall,
                                  .until = until,
                                  .code = static_cast<std::uint16_t>(StatusCode::failed),
                                  .details = place.last_details}};
    const auto done = put_back(tables, found, std::move(place), down_for, ended);
    if (!done || *done) {
        return done ? Result<void>{} : std::unexpected(done.error());
    }
    return end(tables, std::move(found), completion_of(status), ended);
}

/// The answer to its send was lost, and no status has come.
Result<void> LateStatuses::repeat(store::Tables& tables, store::PlatformMessage&& found,
                                  Ended& ended) const {
    auto place = place_of(found);
    place.queue_at = rooms_.clock.now();
    place.perhaps_sent = true;
    place.last_details = model::details::unknown;
    const auto done = put_back(tables, found, std::move(place), {}, ended);
    if (!done || *done) {
        return done ? Result<void>{} : std::unexpected(done.error());
    }
    return end(tables, std::move(found), undecided_completion(), ended);
}

/// False: the number is no device of the message's account any more.
Result<bool> LateStatuses::put_back(store::Tables& tables, const store::PlatformMessage& found,
                                    store::Reschedule place, std::optional<Millis> down_for,
                                    Ended& ended) {
    const auto device = tables.find_device(found.message.device);
    if (!device) {
        return std::unexpected(device.error());
    }
    if (!*device || (*device)->account != found.message.account) {
        return false;
    }
    const auto done = tables.return_to_lane(place);
    if (done && *done) {
        ended.returned.push_back({.device = place.device,
                                  .source = place.source,
                                  .due = place.queue_at,
                                  .down_for = down_for});
    }
    return done ? Result<bool>{true} : done;
}

Result<void> LateStatuses::end(store::PlatformTables& tables, store::PlatformMessage&& found,
                               model::Completion completion, Ended& ended) const {
    invariant(model::may_move(MessageState::handed_over, completion.state),
              "a message ends by a move of its states");
    store::Finish finish;
    finish.completion = std::move(completion);
    if (found.perhaps_sent) {
        scheduler::note_doubt(finish.completion);
    }
    finish.completion.platform_id = found.platform_id;
    finish.completion.finished_at = rooms_.clock.wall_now();
    finish.completion.attempts = found.attempts;
    finish.completion.as_template = found.as_template;
    finish.message = std::make_unique<model::Message>(std::move(found.message));
    finish.callback = rooms_.notices.of_end(*finish.message, finish.completion);
    const auto done = tables.end_handed_over(*finish.message, finish.completion, finish.callback);
    if (!done) {
        return std::unexpected(done.error());
    }
    if (*done) {
        finish.finished = true;
        ended.finishes.push_back(std::move(finish));
    }
    return {};
}

/// Stores the webhook notice and the event of a status that did not end its message. The notice
/// only if the device's account sent the message: the number may belong to another account by now.
Result<void> LateStatuses::tell(store::MessageTables& tables, const model::Device* device,
                                const Told& told, Ended& ended) const {
    if (!told.owner) {
        return {};
    }
    const auto& status = told.status;
    const bool is_progress = status.progress >= Progress::delivered;
    if (is_progress) {
        const auto step = status.progress == Progress::delivered ? model::MessageStep::delivered
                                                                 : model::MessageStep::read;
        if (auto noted = tables.note_event(told.message, {.step = step, .at = status.at}); !noted) {
            return noted;
        }
    }
    if (device == nullptr || device->account != *told.owner) {
        return {};
    }
    if (is_progress) {
        ended.progressed.push_back(
            {.account = device->account, .message = told.message, .progress = status.progress});
    }
    const auto notice =
        rooms_.notices.of_event(*device, "message.status",
                                EventData{}
                                    .add("requestId", told.message.text())
                                    .add("messageid", told.platform_id)
                                    .add("status", model::to_string(status.progress))
                                    .add("at", to_rfc3339(status.at)));
    return notice ? tables.add_callback(*notice) : Result<void>{};
}

/// Stores the notice of a status (delivered, read) that came before its message was handed over, if
/// it did not name the message then.
Result<void> LateStatuses::tell_not_ended(store::Tables& tables,
                                          const store::PlatformMessage& found, Ended& ended) const {
    if (!found.status || found.named_early || found.status->progress < Progress::delivered) {
        return {};
    }
    const auto device = tables.find_device(found.message.device);
    if (!device) {
        return pass(device);
    }
    return tell(tables, *device ? &**device : nullptr,
                {.message = found.message.id,
                 .owner = found.message.account,
                 .platform_id = found.platform_id,
                 .status = *found.status},
                ended);
}

void LateStatuses::publish(Ended&& ended) const {
    for (auto& finish : ended.finishes) {
        rooms_.on_finish(std::move(finish));
    }
    std::ranges::for_each(ended.returned, rooms_.on_returned);
    for (const auto& progressed : ended.progressed) {
        if (rooms_.on_progress) {
            rooms_.on_progress(progressed);
        }
    }
}

void LateStatuses::decide() {
    const auto now = rooms_.clock.now();
    // A hand-over that found its status in the store has the earliest possible `decide_by`.
    const auto until = now < grace_until_.load() ? Timestamp{} : now;
    if (next_.load() > until || deciding_.exchange(true)) {
        return;
    }
    struct Work {
        store::ShardSet here;
        Ended ended;
        Timestamp next = Timestamp::max();
        bool full = false;
        bool none = false;
    };
    const auto work = std::make_shared<Work>();
    const bool taken = rooms_.committer.change_always(
        [this, until, work](store::Tables& tables) -> Result<void> {
            *work = {.here = rooms_.ownership.here()};
            auto undecided = tables.undecided(until, decided_max, work->here);
            if (!undecided) {
                return pass(undecided);
            }
            work->full = undecided->size() == decided_max;
            work->none = undecided->empty();
            for (auto& found : *undecided) {
                const auto status = found.status;
                if (auto stored = tell_not_ended(tables, found, work->ended); !stored) {
                    return stored;
                }
                if (auto done =
                        settle(tables, std::move(found), status ? &*status : nullptr, work->ended);
                    !done) {
                    return done;
                }
            }
            const auto next = tables.next_decide_by();
            if (!next) {
                return std::unexpected(next.error());
            }
            work->next = next->value_or(Timestamp::max());
            return {};
        },
        [this, until, work](const Result<void>& done) {
            if (done) {
                // Those that were attached meanwhile are looked for next. What is overdue and was
                // not found is another node's, or damaged.
                const auto next =
                    work->none ? std::max(work->next, until + others_pause) : work->next;
                next_ = work->here == rooms_.ownership.here() ? next : Timestamp{};
                publish(std::move(work->ended));
            } else {
                rooms_.log.error("cannot decide what became of messages",
                                 {{"why", done.error().detail}});
            }
            deciding_ = false;
            if (done && work->full) {
                decide();  // At once, so that one account's many messages do not delay others'.
            }
        });
    if (!taken) {
        deciding_ = false;
    }
}

std::function<void(const LateStatuses::Returned&)> returns_to(scheduler::Scheduler& scheduler) {
    return [&scheduler](const LateStatuses::Returned& message) {
        if (message.down_for) {
            scheduler.device_down(message.device, *message.down_for);
        }
        scheduler.queued_on_disk(message.device, message.source, message.due);
    };
}

}  // namespace merpati::devices
