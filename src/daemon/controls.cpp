#include "daemon/controls.hpp"

#include <atomic>
#include <chrono>
#include <future>

namespace merpati::daemon {

namespace {

using namespace std::chrono_literals;

/// Calls `begin` with a function and waits until that function is called; returns its argument, or
/// empty when it was not called within `patience`.
template <class Answer, class Begin>
std::optional<Answer> ask(std::chrono::milliseconds patience, Begin begin) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    begin([promise](Answer given) { promise->set_value(std::move(given)); });
    if (answer.wait_for(patience) != std::future_status::ready) {
        return std::nullopt;
    }
    return answer.get();
}

constexpr auto answer_within = 10s;
constexpr auto explained_within = 1s;  // Without an answer, callers show what the store says.
constexpr auto probed_within = 40s;    // A retry probes the media file first.
constexpr auto tested_within = 60s;    // Longer than a callback may take.

std::unexpected<Error> no_answer() {
    return fail(ErrorCode::timeout,
                "the scheduler did not answer in time; check the messages' states");
}

Result<void> or_timeout(std::optional<Result<void>> answer) {
    return answer ? std::move(*answer) : no_answer();
}

/// Counts the ends of many messages, and signals the last one.
struct Ends {
    explicit Ends(std::size_t count) : awaited(count) {}

    void count(const Result<void>& ended) {
        if (ended) {
            ++done;
        } else if (ended.error().code == ErrorCode::shutting_down) {
            is_stopping = true;
        } else if (ended.error().code == ErrorCode::busy) {
            is_moving = true;
        }
        if (--awaited == 0) {
            all.set_value();
        }
    }

    std::atomic<std::size_t> awaited;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> is_stopping = false;
    std::atomic<bool> is_moving = false;
    std::promise<void> all;
};

}  // namespace

RunningMessages::RunningMessages(Rooms rooms)
    : rooms_(std::move(rooms)),
      retry_({.clock = rooms_.clock, .directory = rooms_.directory, .intake = rooms_.intake}),
      single_send_({.clock = rooms_.clock, .directory = rooms_.directory, .intake = rooms_.intake},
                   rooms_.default_rate) {}

Result<void> RunningMessages::cancel(store::QueuedMessage message) {
    return or_timeout(ask<Result<void>>(answer_within, [&](auto done) {
        rooms_.scheduler.cancel(std::move(message), std::move(done));
    }));
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
    if (ends->is_moving) {
        return fail(ErrorCode::busy, "its account is moving to another process: try again");
    }
    return ends->done.load();
}

Result<void> RunningMessages::hasten(store::QueuedMessage message) {
    return or_timeout(ask<Result<void>>(answer_within, [&](auto done) {
        rooms_.scheduler.hasten(std::move(message), std::move(done));
    }));
}

Result<model::MessageId> RunningMessages::retry(const model::Message& failed,
                                                const admission::Principal& caller) {
    auto answer = ask<Result<model::MessageId>>(
        probed_within, [&](auto done) { retry_.send(failed, caller, std::move(done)); });
    return answer ? std::move(*answer)
                  : fail(ErrorCode::timeout,
                         "the probe of its file is not done; check the message later");
}

Result<api::SingleSend::Sent> RunningMessages::send(api::SingleMessage message,
                                                    const admission::Principal& caller) {
    auto answer = ask<Result<api::SingleSend::Sent>>(probed_within, [&](auto done) {
        single_send_.send(std::move(message), caller, std::move(done));
    });
    return answer ? std::move(*answer)
                  : fail(ErrorCode::timeout,
                         "the probe of its file is not done: see in the list of messages whether "
                         "it was accepted");
}

std::optional<scheduler::Wait> RunningMessages::wait_of(store::QueuedMessage message) {
    const auto answer = ask<Result<scheduler::Wait>>(explained_within, [&](auto done) {
        rooms_.scheduler.explain(std::move(message), std::move(done));
    });
    return answer && *answer ? std::optional{**answer} : std::nullopt;
}

Result<model::CallbackAttempt> RunningCallbacks::test(model::AccountId account, std::string url) {
    auto answer = ask<Result<model::CallbackAttempt>>(tested_within, [&](auto done) {
        sender_.test(devices::test_callback(ids_, clock_, account, std::move(url)),
                     std::move(done));
    });
    return answer ? std::move(*answer) : fail(ErrorCode::timeout, "there is no answer yet");
}

std::vector<callback::EndpointHealth> RunningCallbacks::health(model::AccountId account) {
    return ask<std::vector<callback::EndpointHealth>>(
               explained_within, [&](auto done) { sender_.health(account, std::move(done)); })
        .value_or(std::vector<callback::EndpointHealth>{});
}

/// A held message is in no lane, so the change of the store alone decides whether it is still held.
Result<void> RunningMessages::fail_held(model::Message message) {
    store::Finish finish{.message = std::make_unique<model::Message>(std::move(message)),
                         .completion = devices::given_up(rooms_.clock.now()),
                         .finished = true};
    finish.callback = rooms_.notices.of_end(*finish.message, finish.completion);
    auto failed = rooms_.committer.change_and_wait([&](store::Tables& tables) {
        if (!rooms_.ownership.works_for(finish.message->account)) {
            return Result<void>{
                fail(ErrorCode::elsewhere, "another node works for the account now")};
        }
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
