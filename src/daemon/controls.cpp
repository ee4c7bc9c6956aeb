#include "daemon/controls.hpp"

#include <atomic>
#include <chrono>
#include <future>

namespace merpati::daemon {

namespace {

constexpr std::chrono::seconds answer_within{10};

std::unexpected<Error> no_answer() {
    return fail(ErrorCode::timeout, "the scheduler did not answer; look at the messages again");
}

/// Waits for the ends of many messages.
struct Ends {
    explicit Ends(std::size_t count) : awaited(count) {}

    void count(const Result<void>& ended) {
        if (ended) {
            ++done;
        } else if (ended.error().code == ErrorCode::shutting_down) {
            is_stopping = true;
        }
        if (--awaited == 0) {
            all.set_value();
        }
    }

    std::atomic<std::size_t> awaited;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> is_stopping = false;
    std::promise<void> all;
};

}  // namespace

Result<void> RunningMessages::cancel(store::QueuedMessage message) {
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto answer = promise->get_future();
    rooms_.scheduler.cancel(std::move(message), [promise](Result<void> result) {
        promise->set_value(std::move(result));
    });
    if (answer.wait_for(answer_within) != std::future_status::ready) {
        return no_answer();
    }
    return answer.get();
}

Result<std::size_t> RunningMessages::cancel_all(std::vector<store::QueuedMessage> messages) {
    if (messages.empty()) {
        return std::size_t{0};
    }
    const auto ends = std::make_shared<Ends>(messages.size());
    auto all = ends->all.get_future();
    for (auto& message : messages) {
        rooms_.scheduler.cancel(std::move(message),
                                [ends](const Result<void>& ended) { ends->count(ended); });
    }
    if (all.wait_for(answer_within) != std::future_status::ready) {
        return no_answer();
    }
    if (ends->is_stopping) {
        return fail(ErrorCode::shutting_down, "the server stops");
    }
    return ends->done.load();
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
