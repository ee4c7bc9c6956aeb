// How the catalogue changes messages and callbacks of a running server.
#pragma once

#include "api/manage/context.hpp"
#include "base/clock.hpp"
#include "callback/sender.hpp"
#include "daemon/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::daemon {

/// Threads: any but the scheduler's and the committer's, for whose answers it waits.
class RunningMessages final : public api::manage::MessageControl {
public:
    struct Rooms {
        const Clock& clock;
        Notices& notices;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
        scheduler::FinishListener on_finish;  // Gets the ends that the scheduler has no part in.
    };
    explicit RunningMessages(Rooms rooms) : rooms_(std::move(rooms)) {}

    [[nodiscard]] Result<void> cancel(store::QueuedMessage message) override;
    [[nodiscard]] Result<std::size_t> cancel_all(
        std::vector<store::QueuedMessage> messages) override;
    [[nodiscard]] Result<void> fail_held(model::Message message) override;
    void released(const model::Message& message, Timestamp due) override;

private:
    Rooms rooms_;
};

class RunningCallbacks final : public api::manage::CallbackControl {
public:
    explicit RunningCallbacks(callback::Sender& sender) : sender_(sender) {}

    void wake(const store::Endpoint& endpoint) override { sender_.made_due(endpoint); }

private:
    callback::Sender& sender_;
};

}  // namespace merpati::daemon
