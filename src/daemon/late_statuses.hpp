// What platforms report of messages after they took them.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "base/queue_clock.hpp"
#include "connector/connector.hpp"
#include "daemon/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Ends messages that are handed over: by the status that their platform reports or, without one by
/// `decide_by`, as failed, with details that say that the outcome is unknown. A status that comes
/// after the end is sent to the device's webhook.
///
/// Operation: a status is found by its platform id, in the transaction that records it, so that it
/// counts once however often and in whatever order it comes. One that comes before its message is
/// handed over waits in the store: the hand-over meets it there and is decided at once. A message
/// that was decided without a status stays failed; a later status goes to the webhook alone.
///
/// Crash: what is handed over is in the store alone, also its `decide_by`. After a start nothing is
/// decided for want of a status before the connectors had `start_grace` to report what came
/// meanwhile.
///
/// Threads: any. Limits: `decided_max` a commit; where there are more, the next commit goes on.
class LateStatuses {
public:
    static constexpr Millis start_grace{10'000};

    /// A message that the platform delivered, or somebody read.
    struct Progressed {
        model::AccountId account;
        model::MessageId message;
        model::Progress progress = model::Progress::delivered;
    };

    struct Rooms {
        const QueueClock& clock;
        Notices& notices;
        store::Committer& committer;
        // Both on the committer's thread; `on_progress` may be empty.
        scheduler::FinishListener on_finish;
        std::function<void(const Progressed&)> on_progress{};
        telemetry::Log log;
    };
    explicit LateStatuses(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Looks for what was handed over before the start at the next `decide`.
    void start();

    /// A message was handed over. On the committer's thread.
    void handed_over(Timestamp decide_by);

    /// What a change did to messages; `publish` it after its commit.
    struct Ended {
        std::vector<store::Finish> finishes;
        std::vector<Progressed> progressed;
    };
    /// Part of a change: records the status, and ends its message where that is handed over.
    /// Errors: store_failed.
    [[nodiscard]] Result<void> take(store::Tables& tables, const connector::LateStatus& late,
                                    Ended& ended) const;
    void publish(Ended&& ended) const;

    /// Ends the messages whose `decide_by` has passed. To be called periodically.
    void decide();

private:
    static constexpr std::size_t decided_max = 256;

    [[nodiscard]] Result<void> end(store::Tables& tables, store::PlatformMessage&& found,
                                   const model::PlatformStatus* status, Ended& ended) const;
    [[nodiscard]] Result<void> tell(store::Tables& tables, const connector::LateStatus& late,
                                    const model::MessageId& message, Ended& ended) const;
    [[nodiscard]] Result<void> tell_not_ended(store::Tables& tables,
                                              const store::PlatformMessage& found,
                                              Ended& ended) const;
    [[nodiscard]] static Result<std::optional<model::Device>> sender_of(
        store::Tables& tables, model::PhoneNumber number, const model::MessageId& message);

    Rooms rooms_;
    std::atomic<Timestamp> next_{Timestamp::max()};  // Nothing is to be decided before.
    std::atomic<Timestamp> grace_until_{Timestamp::min()};
    std::atomic<bool> deciding_{false};
};

}  // namespace merpati::daemon
