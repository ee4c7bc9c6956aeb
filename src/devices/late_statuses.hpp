// Decides messages by the statuses that platforms report after they accepted them.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "admission/ownership.hpp"
#include "base/queue_clock.hpp"
#include "connector/connector.hpp"
#include "devices/notices.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Decides messages that are handed over. The status that the platform reports ends them, or, if it
/// is a passing failure, puts them back into their lanes; without one by `decide_by` the hand-over
/// says what becomes of them (model::WithoutStatus). A status that comes after the end is sent to
/// the device's webhook. A failure after an attempt whose outcome is not known says so
/// (scheduler/doubt.hpp).
///
/// Operation: the transaction that records a status finds its message by the platform id, so a
/// status counts once, in any order and any number of times. A message whose answer was lost has
/// none: a status that names the message brings it, if the message is the device's. A status that
/// comes before the hand-over waits in the store, with what it means; the next `decide` decides the
/// message by it. After a message went back to its lane, statuses of the platform id that it had
/// are ignored. A message that ended without a status stays as it is; a later status goes to the
/// webhook only.
///
/// Going back: a passing failure is tried again with the scheduler's back-off, until give_up. A
/// template, and a device that cannot send, cost no attempt, and the message keeps its position. A
/// message whose number belongs to another account by now fails instead.
///
/// Nodes: a number may have belonged to an account of another node. A status of that account's
/// message is only recorded here; its node decides by it when `decide_by` has passed. If the
/// message had ended before, the status does not count in its campaign.
///
/// Crash: handed-over messages and their `decide_by` are only in the store; each decision is one
/// commit. After a start, and whenever accounts were attached, messages without a status are not
/// decided for `start_grace`, so that connectors can report the statuses of the time before.
///
/// Threads: any, except where a function says otherwise.
///
/// Limits: `decided_max` messages in one commit, of all devices in turn; the next commit continues.
class LateStatuses {
public:
    static constexpr Millis start_grace{10'000};
    /// Between looks while what is overdue is another node's to decide.
    static constexpr Millis others_pause{1'000};

    /// A message that the platform delivered, or somebody read.
    struct Progressed {
        model::AccountId account;
        model::MessageId message;
        model::Progress progress = model::Progress::delivered;
    };

    /// A message that went back to its lane.
    struct Returned {
        model::PhoneNumber device;
        model::Source source = model::Source::api;
        Timestamp due;
        std::optional<Millis> down_for{};  // The device cannot send, for so long at least.
    };

    struct Rooms {
        const QueueClock& clock;
        Random& random;
        Notices& notices;
        store::Committer& committer;
        const admission::Ownership& ownership;
        scheduler::RetryPolicy retry{};
        // All are called on the committer's thread; `on_progress` may be empty.
        scheduler::FinishListener on_finish;
        std::function<void(const Returned&)> on_returned;
        std::function<void(const Progressed&)> on_progress{};
        telemetry::Log log;
    };
    explicit LateStatuses(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Makes the next `decide` look for messages that were handed over before the start, or before
    /// their accounts were attached.
    void start();

    /// Call on the committer's thread after a message was handed over.
    void handed_over(Timestamp decide_by);

    /// What a change did to messages; to be passed to `publish` after the commit.
    struct Ended {
        std::vector<store::Finish> finishes;
        std::vector<Returned> returned;
        std::vector<Progressed> progressed;
    };
    /// Part of a change: records a status of the device, which the change has read, and decides its
    /// message if that is handed over. Errors: of store::Tables.
    [[nodiscard]] Result<void> take(store::Tables& tables, const model::Device& device,
                                    const connector::LateStatus& late, Ended& ended) const;
    /// Call on the committer's thread.
    void publish(Ended&& ended) const;

    /// Decides the messages of accounts that are here whose `decide_by` has passed. Call it
    /// periodically. Does not wait for the commit; a call during the commit does nothing.
    void decide();

private:
    static constexpr std::size_t decided_max = 256;

    [[nodiscard]] Result<void> settle(store::Tables& tables, store::PlatformMessage&& found,
                                      const model::PlatformStatus* status, Ended& ended) const;
    [[nodiscard]] Result<void> give_back(store::Tables& tables, store::PlatformMessage&& found,
                                         const model::PlatformStatus& status, Ended& ended) const;
    [[nodiscard]] Result<void> repeat(store::Tables& tables, store::PlatformMessage&& found,
                                      Ended& ended) const;
    [[nodiscard]] static Result<bool> put_back(store::Tables& tables,
                                               const store::PlatformMessage& found,
                                               store::Reschedule place,
                                               std::optional<Millis> down_for, Ended& ended);
    [[nodiscard]] Result<void> end(store::PlatformTables& tables, store::PlatformMessage&& found,
                                   model::Completion completion, Ended& ended) const;
    /// A status that did not end its message.
    struct Told {
        model::MessageId message;
        std::optional<model::AccountId> owner;  // Of the message; empty: of nobody.
        std::string_view platform_id;
        const model::PlatformStatus& status;
    };
    /// `device` is null if there is none any more.
    [[nodiscard]] Result<void> tell(store::MessageTables& tables, const model::Device* device,
                                    const Told& told, Ended& ended) const;
    [[nodiscard]] Result<void> tell_not_ended(store::Tables& tables,
                                              const store::PlatformMessage& found,
                                              Ended& ended) const;

    Rooms rooms_;
    std::atomic<Timestamp> next_{Timestamp::max()};  // A lower bound of every `decide_by`.
    std::atomic<Timestamp> grace_until_{Timestamp::min()};
    std::atomic<bool> deciding_{false};
};

/// Tells the scheduler which messages went back to their lanes.
[[nodiscard]] std::function<void(const LateStatuses::Returned&)> returns_to(
    scheduler::Scheduler& scheduler);

}  // namespace merpati::devices
