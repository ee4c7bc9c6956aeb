// Ends messages by the statuses that platforms report after they accepted them.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "base/queue_clock.hpp"
#include "connector/connector.hpp"
#include "devices/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Ends messages that are handed over. The status that the platform reports decides; without one by
/// `decide_by` the message fails, with details that say that the outcome is unknown. A status that
/// comes after the end is sent to the device's webhook. A failure after an attempt whose outcome is
/// not known says so (scheduler/doubt.hpp).
///
/// Operation: the transaction that records a status finds its message by the platform id, so a
/// status counts once, in any order and any number of times. A status that comes before the
/// hand-over waits in the store; the next `decide` ends the message by it. A message that failed
/// without a status stays failed; a later status goes to the webhook only.
///
/// Crash: handed-over messages and their `decide_by` are only in the store. After a start, messages
/// without a status are not decided for `start_grace`, so that connectors can report the statuses
/// of the time before.
///
/// Threads: any, except where a function says otherwise.
///
/// Limits: `decided_max` messages in one commit; the next commit continues.
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
        // Both are called on the committer's thread; `on_progress` may be empty.
        scheduler::FinishListener on_finish;
        std::function<void(const Progressed&)> on_progress{};
        telemetry::Log log;
    };
    explicit LateStatuses(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Makes the next `decide` look for messages that were handed over before the start.
    void start();

    /// Call on the committer's thread after a message was handed over.
    void handed_over(Timestamp decide_by);

    /// What a change did to messages; to be passed to `publish` after the commit.
    struct Ended {
        std::vector<store::Finish> finishes;
        std::vector<Progressed> progressed;
    };
    /// Part of a change: records the status, and ends its message if the message is handed over.
    /// Errors: of store::Tables.
    [[nodiscard]] Result<void> take(store::Tables& tables, const connector::LateStatus& late,
                                    Ended& ended) const;
    /// Call on the committer's thread.
    void publish(Ended&& ended) const;

    /// Ends the messages whose `decide_by` has passed. Call it periodically. Does not wait for the
    /// commit; a call during the commit does nothing.
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
    std::atomic<Timestamp> next_{Timestamp::max()};  // A lower bound of every `decide_by`.
    std::atomic<Timestamp> grace_until_{Timestamp::min()};
    std::atomic<bool> deciding_{false};
};

}  // namespace merpati::devices
