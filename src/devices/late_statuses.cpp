#include "devices/late_statuses.hpp"

#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/doubt.hpp"
#include "scheduler/platform_text.hpp"

namespace merpati::devices {
namespace {

using model::MessageState;
using model::Progress;
using model::StatusCode;

/// Sets `value` to `to` if that is less.
void lower(std::atomic<Timestamp>& value, Timestamp to) {
    auto was = value.load();
    while (to < was && !value.compare_exchange_weak(was, to)) {
    }
}

model::Completion completion_of(const model::PlatformStatus* status) {
    if (status == nullptr) {
        return {.state = MessageState::failed,
                .code = StatusCode::failed,
                .details = std::string{model::details::undecided}};
    }
    if (status->progress == Progress::failed) {
        return {.state = MessageState::failed,
                .code = status->code == StatusCode::sent ? StatusCode::failed : status->code,
                .details = scheduler::of_platform(status->details, model::details::failed)};
    }
    return {.state = MessageState::sent,
            .code = StatusCode::sent,
            .details = scheduler::of_platform(status->details, model::details::sent)};
}

}  // namespace

void LateStatuses::start() {
    grace_until_ = rooms_.clock.now() + start_grace;
    next_ = Timestamp{};
}

void LateStatuses::handed_over(Timestamp decide_by) {
    lower(next_, decide_by);
}

Result<void> LateStatuses::take(store::Tables& tables, const connector::LateStatus& late,
                                Ended& ended) const {
    const auto is_news =
        tables.note_status(late.device, late.platform_id, late.status, rooms_.clock.now());
    if (!is_news || !*is_news) {
        return is_news ? Result<void>{} : std::unexpected(is_news.error());
    }
    auto found = tables.find_platform_message(late.device, late.platform_id);
    if (!found) {
        return pass(found);
    }
    const auto id = *found ? std::optional{(*found)->message.id} : late.message;
    const bool ends = *found && (*found)->decide_by;
    if (ends) {
        if (auto done = end(tables, **std::move(found), &late.status, ended); !done) {
            return done;
        }
    }
    // No webhook notice of an end: the message's callback reports it.
    const bool is_end = late.status.progress == Progress::sent ||
                        (ends && late.status.progress == Progress::failed);
    return is_end || !id ? Result<void>{} : tell(tables, late, *id, ended);
}

Result<void> LateStatuses::end(store::Tables& tables, store::PlatformMessage&& found,
                               const model::PlatformStatus* status, Ended& ended) const {
    store::Finish finish;
    finish.completion = completion_of(status);
    if (found.perhaps_sent) {
        scheduler::note_doubt(finish.completion);
    }
    finish.completion.platform_id = found.platform_id;
    finish.completion.finished_at = rooms_.clock.wall_now();
    finish.completion.attempts = found.attempts;
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

/// Stores the webhook notice and the event of a status that did not end its message. Only if the
/// device's account sent the message: the number may belong to another account by now.
Result<void> LateStatuses::tell(store::Tables& tables, const connector::LateStatus& late,
                                const model::MessageId& message, Ended& ended) const {
    const auto progress = late.status.progress;
    const bool is_progress = progress >= Progress::delivered;
    if (is_progress) {
        const auto step = progress == Progress::delivered ? model::MessageStep::delivered
                                                          : model::MessageStep::read;
        const auto noted =
            tables.note_event(late.device, message, {.step = step, .at = late.status.at});
        if (!noted) {
            return noted;
        }
    }
    const auto device = sender_of(tables, late.device, message);
    if (!device || !*device) {
        return device ? Result<void>{} : pass(device);
    }
    if (is_progress) {
        ended.progressed.push_back(
            {.account = (**device).account, .message = message, .progress = progress});
    }
    const auto notice = rooms_.notices.of_event(**device, "message.status",
                                                EventData{}
                                                    .add("requestId", message.text())
                                                    .add("messageid", late.platform_id)
                                                    .add("status", model::to_string(progress))
                                                    .add("at", to_rfc3339(late.status.at)));
    return notice ? tables.add_callback(*notice) : Result<void>{};
}

/// The device, if its account sent the message.
Result<std::optional<model::Device>> LateStatuses::sender_of(store::Tables& tables,
                                                             model::PhoneNumber number,
                                                             const model::MessageId& message) {
    auto device = tables.find_device(number);
    if (!device) {
        return device;
    }
    const auto owner = tables.owner_of_message(message);
    if (!owner) {
        return pass(owner);
    }
    if (!*device || !*owner || **owner != (*device)->account) {
        return std::nullopt;
    }
    return device;
}

/// Stores the notice of a status (delivered, read) that came before its message was handed over.
Result<void> LateStatuses::tell_not_ended(store::Tables& tables,
                                          const store::PlatformMessage& found, Ended& ended) const {
    if (!found.status || found.status->progress < Progress::delivered) {
        return {};
    }
    return tell(tables,
                {.device = found.message.device,
                 .platform_id = found.platform_id,
                 .message = {},
                 .status = *found.status},
                found.message.id, ended);
}

void LateStatuses::publish(Ended&& ended) const {
    for (auto& finish : ended.finishes) {
        rooms_.on_finish(std::move(finish));
    }
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
        Ended ended;
        Timestamp next = Timestamp::max();
        bool full = false;
    };
    const auto work = std::make_shared<Work>();
    const bool taken = rooms_.committer.change_always(
        [this, until, work](store::Tables& tables) -> Result<void> {
            *work = {};
            auto undecided = tables.undecided(until, decided_max);
            if (!undecided) {
                return pass(undecided);
            }
            work->full = undecided->size() == decided_max;
            for (auto& found : *undecided) {
                const auto status = found.status;
                if (auto stored = tell_not_ended(tables, found, work->ended); !stored) {
                    return stored;
                }
                if (auto done =
                        end(tables, std::move(found), status ? &*status : nullptr, work->ended);
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
        [this, work](const Result<void>& done) {
            if (done) {
                next_ = work->next;
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

}  // namespace merpati::devices
