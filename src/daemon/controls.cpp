#include "daemon/controls.hpp"

#include <chrono>
#include <future>

namespace merpati::daemon {

Result<void> RunningMessages::cancel(store::QueuedMessage message) {
    static constexpr std::chrono::seconds answer_within{10};
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto answer = promise->get_future();
    rooms_.scheduler.cancel(std::move(message), [promise](Result<void> result) {
        promise->set_value(std::move(result));
    });
    if (answer.wait_for(answer_within) != std::future_status::ready) {
        return fail(ErrorCode::timeout, "the scheduler did not answer; look at the message again");
    }
    return answer.get();
}

/// No lane knows a held message, so the store alone decides who ends it.
Result<void> RunningMessages::fail_held(model::Message message) {
    store::Finish finish{.message = std::make_unique<model::Message>(std::move(message)),
                         .completion = given_up(rooms_.clock.now()),
                         .finished = true};
    finish.callback = rooms_.notices.of_end(*finish.message, finish.completion);
    auto failed = rooms_.committer.change_and_wait([&finish](store::Tables& tables) {
        return tables.fail_message(finish.message->id, finish.completion, finish.callback);
    });
    if (failed) {
        rooms_.on_finish(std::move(finish));
    }
    return failed;
}

void RunningMessages::released(const model::Message& message, Timestamp due) {
    rooms_.scheduler.queued_on_disk(message.device, message.source, due);
}

}  // namespace merpati::daemon
