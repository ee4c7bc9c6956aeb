// The dispatcher: cancels a message, or makes it due now, on request.
#include <utility>

#include "scheduler/details.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {

/// Takes a waiting message out of memory. If it is there, that newer record replaces `message`.
/// Errors: conflict: it is being sent, or a crash interrupted its send.
Result<void> Dispatcher::take_out(store::QueuedMessage& message) {
    const auto id = message.message->id;
    auto& lane = lane_of(message.message->device);
    if (const auto found = in_flight_.find(id); found != in_flight_.end()) {
        if (found->second.stage != Stage::fetching) {
            return fail(ErrorCode::conflict, "the message is being sent");
        }
        message = stop_awaiting(id);
        std::erase(lane.fetches.waiting, id);
        fetch_ahead(lane);
    }
    auto& source = lane.source(message.message->source);
    if (auto here = memory_.remove(source, id)) {
        message = std::move(*here);
    }
    if (message.intent_recorded) {
        source.note_on_disk(message.queued_at);
        make_ready(lane);
        return fail(ErrorCode::conflict, "a crash interrupted its send: the platform may have it");
    }
    return {};
}

void Dispatcher::handle(CancelRequested&& event) {
    const auto id = event.message.message->id;
    auto& lane = lane_of(event.message.message->device);
    if (auto taken = take_out(event.message); !taken) {
        event.done(std::move(taken));
        return;
    }
    auto& flight = add_in_flight(lane, std::move(event.message), false);
    auto work = finish_of(flight, {.state = model::MessageState::cancelled,
                                   .code = model::StatusCode::failed,
                                   .details = std::string{details::cancelled}});
    committer_.finish(
        std::move(work), [this, id, done = std::move(event.done)](store::Finish&& ended) mutable {
            const bool finished = ended.finished;
            if (finished) {
                on_finish_(std::move(ended));
            }
            done(finished ? Result<void>{} : fail(ErrorCode::conflict, "the message has ended"));
            post_(Committed{.message = id});
        });
}

/// The message is in flight while the change is committed, so it is not read meanwhile. `give_up`
/// counts anew from its next failure.
void Dispatcher::handle(HastenRequested&& event) {
    auto& lane = lane_of(event.message.message->device);
    if (auto taken = take_out(event.message); !taken) {
        event.done(std::move(taken));
        return;
    }
    auto& flight = add_in_flight(lane, std::move(event.message), false);
    flight.queued.failing_since.reset();
    const auto& message = *flight.queued.message;
    committer_.reschedule(
        {.message = message.id,
         .device = message.device,
         .source = message.source,
         .queued_at = flight.queued.queued_at,
         .queue_at = std::min(flight.queued.queued_at, now_),
         .attempts = flight.queued.attempts,
         .sent = lane.pacer.record(),
         .events = {{.step = model::MessageStep::hastened, .at = clock_.wall_now()}}},
        [this, done = std::move(event.done)](const store::Reschedule& moved) mutable {
            done(moved.rescheduled ? Result<void>{}
                                   : fail(ErrorCode::conflict, "the message has ended"));
            post_(Committed{
                .message = moved.message,
                .queue_at = moved.rescheduled ? std::optional{moved.queue_at} : std::nullopt});
        });
}

}  // namespace merpati::scheduler
