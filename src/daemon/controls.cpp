#include "daemon/controls.hpp"

#include <chrono>
#include <future>

namespace merpati::daemon {

Result<void> RunningMessages::cancel(store::QueuedMessage message) {
    static constexpr std::chrono::seconds answer_within{10};
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto answer = promise->get_future();
    scheduler_.cancel(std::move(message),
                      [promise](Result<void> result) { promise->set_value(std::move(result)); });
    if (answer.wait_for(answer_within) != std::future_status::ready) {
        return fail(ErrorCode::timeout, "the scheduler did not answer; look at the message again");
    }
    return answer.get();
}

void RunningMessages::released(const model::Message& message, Timestamp due) {
    scheduler_.wake(message.device, message.source, due);
}

}  // namespace merpati::daemon
