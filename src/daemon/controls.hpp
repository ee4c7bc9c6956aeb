// What the management API may do to messages and callbacks of a running server.
#pragma once

#include "api/manage/context.hpp"
#include "callback/sender.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::daemon {

/// Threads: any but the scheduler's and the committer's, for whose answers `cancel` waits.
class RunningMessages final : public api::manage::MessageControl {
public:
    explicit RunningMessages(scheduler::Scheduler& scheduler) : scheduler_(scheduler) {}

    [[nodiscard]] Result<void> cancel(store::QueuedMessage message) override;
    void released(const model::Message& message, Timestamp due) override;

private:
    scheduler::Scheduler& scheduler_;
};

class RunningCallbacks final : public api::manage::CallbackControl {
public:
    explicit RunningCallbacks(callback::Sender& sender) : sender_(sender) {}

    void wake(std::int64_t origin_key) override { sender_.wake(origin_key); }

private:
    callback::Sender& sender_;
};

}  // namespace merpati::daemon
