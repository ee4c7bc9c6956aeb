// The dispatcher: cancels, withdraws or hastens messages on request.
#include <memory>
#include <utility>

#include "model/texts.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

std::unexpected<Error> not_written() {
    return fail(ErrorCode::damaged, "the store is damaged where this was to be written");
}

/// Whether it is of a recipient, and the platform does not have it.
bool may_return(const store::QueuedMessage& queued) {
    const auto& message = *queued.message;
    return !queued.perhaps_sent && message.campaign && message.campaign_row != 0;
}

}  // namespace

/// Takes a waiting message out of memory, or finds it on disk; its record replaces `message`, which
/// was read before. The message then stays where it is until it is committed elsewhere, because
/// only this thread moves messages. Errors: conflict: it is being sent, a crash interrupted its
/// send, or it has left its lane; busy: this process does not work for its device; those of
/// LaneReader.
Result<void> Dispatcher::take_out(store::QueuedMessage& message) {
    const auto id = message.message->id;
    auto* lane = find_lane(message.message->device);
    if (lane == nullptr) {
        return fail(ErrorCode::busy, "its account is moving to another process: try again");
    }
    auto& source = lane->source(message.message->source);
    if (in_flight_.contains(id)) {
        return fail(ErrorCode::conflict, "the message is being sent");
    }
    if (auto here = memory_.remove(source, id)) {
        message = std::move(*here);
        fetch_ahead(*lane, source);
    } else if (auto there = find_on_disk(message); !there) {
        return there;
    }
    if (message.intent_recorded) {
        put_back(message);
        return fail(ErrorCode::conflict, "a crash interrupted its send: the platform may have it");
    }
    return {};
}

/// A message that was taken out stays in the store as it was.
void Dispatcher::put_back(const store::QueuedMessage& message) {
    auto& lane = lane_of(message.message->device);
    lane.source(message.message->source).note_on_disk(message.queued_at);
    make_ready(lane);
}

Result<void> Dispatcher::find_on_disk(store::QueuedMessage& message) {
    auto found = reader_->find_queued(*message.message);
    if (!found) {
        return pass(found);
    }
    if (!*found) {
        return fail(ErrorCode::conflict, "the message has ended");
    }
    (*found)->message = std::move(message.message);
    message = std::move(**found);
    return {};
}

void Dispatcher::handle(CancelRequested&& event) {
    const auto id = event.message.message->id;
    if (auto taken = take_out(event.message); !taken) {
        event.done(std::move(taken));
        return;
    }
    auto& lane = lane_of(event.message.message->device);
    auto& flight = add_in_flight(lane, std::move(event.message), false);
    auto work = finish_of(flight, {.state = model::MessageState::cancelled,
                                   .code = model::StatusCode::failed,
                                   .details = std::string{model::details::cancelled}});
    committer_.finish(std::move(work),
                      [this, id, done = std::move(event.done)](store::Finish&& ended) mutable {
                          const bool finished = ended.finished;
                          if (finished) {
                              on_finish_(std::move(ended));
                          }
                          done(finished ? Result<void>{} : not_written());
                          post_(Committed{.message = id});
                      });
}

/// Whether the message is of a recipient whose campaign may not send now. One that the platform may
/// have is sent all the same: the campaign would send another message instead.
bool Dispatcher::is_withheld(const store::QueuedMessage& queued) const {
    return may_return(queued) && options_.campaign_may_send &&
           !options_.campaign_may_send(*queued.message->campaign);
}

/// The same if its recipient is suppressed. What people send by hand of a campaign that has ended
/// has nowhere to return to.
bool Dispatcher::returns_if_suppressed(const store::QueuedMessage& queued) const {
    return may_return(queued) && options_.campaign_is_open &&
           options_.campaign_is_open(*queued.message->campaign);
}

/// Returns the message to its campaign. A send of it was not begun.
void Dispatcher::withdraw(InFlight& flight, std::move_only_function<void(bool)> done) {
    end_suspicion(flight);
    ++withdrawn_;
    committer_.finish(flight.withdraw(wall_now_),
                      [this, done = std::move(done)](store::Finish&& ended) mutable {
                          if (ended.finished && options_.on_withdrawn) {
                              options_.on_withdrawn(*ended.message);
                          }
                          if (done) {
                              done(ended.finished);
                          }
                          post_(Committed{.message = ended.message->id});
                      });
}

void Dispatcher::handle(WithdrawRequested&& event) {
    // Answers when the last commit is durable. The commits are on the committer's thread alone.
    struct Answer {
        std::move_only_function<void(Result<std::size_t>)> done;
        std::size_t withdrawn = 0;
        ~Answer() { done(withdrawn); }
    };
    const auto answer = std::make_shared<Answer>(std::move(event.done));
    for (auto& message : event.messages) {
        if (!take_out(message)) {
            continue;
        }
        if (message.perhaps_sent) {
            put_back(message);
            continue;
        }
        auto& lane = lane_of(message.message->device);
        withdraw(add_in_flight(lane, std::move(message), false),
                 [answer](bool finished) { answer->withdrawn += finished ? 1 : 0; });
    }
}

/// The message is in flight while the change is committed, so it is not read meanwhile. `give_up`
/// counts anew from its next failure.
void Dispatcher::handle(HastenRequested&& event) {
    if (auto taken = take_out(event.message); !taken) {
        event.done(std::move(taken));
        return;
    }
    auto& lane = lane_of(event.message.message->device);
    auto& flight = add_in_flight(lane, std::move(event.message), false);
    flight.forget_failing();
    flight.add_event({.step = model::MessageStep::hastened, .at = wall_now_});
    committer_.reschedule(
        flight.reschedule(std::min(flight.queued().queued_at, now_), {}),
        [this, done = std::move(event.done)](const store::Reschedule& moved) mutable {
            done(moved.rescheduled ? Result<void>{} : not_written());
            post_(Committed{
                .message = moved.message,
                .queue_at = moved.rescheduled ? std::optional{moved.queue_at} : std::nullopt});
        });
}

}  // namespace merpati::scheduler
