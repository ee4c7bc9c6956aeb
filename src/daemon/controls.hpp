// Lets the catalogue change messages and callbacks of a running server.
#pragma once

#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/messages/message_control.hpp"
#include "api/send/retry.hpp"
#include "api/send/single_send.hpp"
#include "base/clock.hpp"
#include "callback/sender.hpp"
#include "devices/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::daemon {

/// Threads: any except the scheduler's and the committer's, because calls wait for their answers.
/// `released` waits for nothing.
///
/// Limits: each wait has a deadline (controls.cpp); after it the answer is `timeout`, or empty for
/// `wait_of`. The work itself goes on.
class RunningMessages final : public api::manage::MessageControl {
public:
    struct Rooms {
        const Clock& clock;
        devices::Notices& notices;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        intake::Intake& intake;
        std::optional<model::Rate> default_rate;  // Of accounts without one of their own.
        scheduler::FinishListener on_finish;  // For ends that do not pass through the scheduler.
    };
    explicit RunningMessages(Rooms rooms);

    [[nodiscard]] Result<void> cancel(store::QueuedMessage message) override;
    [[nodiscard]] Result<std::size_t> cancel_all(
        std::vector<store::QueuedMessage> messages) override;
    [[nodiscard]] Result<void> fail_held(model::Message message) override;
    [[nodiscard]] Result<void> hasten(store::QueuedMessage message) override;
    [[nodiscard]] Result<model::MessageId> retry(const model::Message& failed,
                                                 const admission::Principal& caller) override;
    [[nodiscard]] Result<api::SingleSend::Sent> send(api::SingleMessage message,
                                                     const admission::Principal& caller) override;
    [[nodiscard]] std::optional<scheduler::Wait> wait_of(store::QueuedMessage message) override;
    void released(const model::Message& message, Timestamp due) override;

private:
    Rooms rooms_;
    api::Retry retry_;
    api::SingleSend single_send_;
};

/// Threads: any except the sender's, because `test` and `health` wait for its answer, up to a
/// deadline (controls.cpp).
class RunningCallbacks final : public api::manage::CallbackControl {
public:
    RunningCallbacks(callback::Sender& sender, UuidSource& ids, const QueueClock& clock)
        : sender_(sender), ids_(ids), clock_(clock) {}

    void wake(const store::Endpoint& endpoint) override { sender_.made_due(endpoint); }
    [[nodiscard]] Result<model::CallbackAttempt> test(model::AccountId account,
                                                      std::string url) override;
    [[nodiscard]] std::vector<callback::EndpointHealth> health(model::AccountId account) override;

private:
    callback::Sender& sender_;
    UuidSource& ids_;
    const QueueClock& clock_;
};

}  // namespace merpati::daemon
