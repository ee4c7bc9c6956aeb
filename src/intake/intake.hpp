// The way of every submitted message into the store and to the scheduler.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "admission/admission.hpp"
#include "admission/caller_rights.hpp"
#include "admission/ownership.hpp"
#include "admission/principal.hpp"
#include "base/clock.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "media/media_fetcher.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::intake {

/// Operation: `submit` checks the message (Admission), probes the file of a media message, and
/// stores the message. Its time of acceptance and its delay begin after the probe. When the message
/// is durable, `on_accepted`, the entry and the scheduler get it, in this order.
///
/// A probe takes seconds, and a message waits for the commit before its own. Therefore the
/// transaction asks again whether the caller and the account may still send. The directory answers,
/// which costs no statement: on the committer's thread it holds all earlier commits, so a message
/// is never stored after the commit that revoked its key. One that shares this commit is stored,
/// because nobody has been told of the revocation yet. The store also refuses a sender that was
/// removed or given to another account meanwhile.
///
/// Threads: `submit` on any. A media message continues on the fetcher's thread, a stored one on the
/// committer's. Fetcher and committer must have ended when this object is destroyed.
class Intake {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        const admission::Directory& directory;
        const admission::CallerRights& rights;
        const admission::Ownership& ownership;
        const admission::Admission& admission;
        media::MediaFetcher& media_fetcher;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
    };

    /// One submission: what is stored with its message, and who learns the result.
    class Entry {
    public:
        virtual ~Entry() = default;

        /// Before the message is stored. It has its id and its times; `delay` was asked for.
        /// Whatever else belongs into its transaction is added here.
        virtual void complete(store::Accept& accept, Millis delay) = 0;
        /// The end of a submission that was not stored: a refusal of any step. `overloaded`: too
        /// many messages are being stored.
        virtual void refused(admission::Refusal refusal) = 0;
        /// The end of one that was stored, or was before: `result` is stored, repeated, key_reused
        /// or retried_before. Of one with `retry_of` it may also be erased, recipient_taken,
        /// campaign_paused or campaign_cancelled: it was not stored.
        virtual void stored(const store::Accept& accept) = 0;

    private:
        friend Intake;
        admission::Principal caller_;
        admission::Checked<void> may_send_;  // What the transaction was answered.
    };

    explicit Intake(Rooms rooms) : rooms_(rooms) {}

    /// Called for each stored message, on the committer's thread. Set before the first message;
    /// may be empty.
    std::function<void(const model::Message&)> on_accepted;

    /// Calls `refused` or `stored` of the entry once. The caller has been checked, but may be
    /// another than the account: an administrator.
    void submit(admission::Submission&& submission, const model::Account& account,
                admission::Principal caller, std::shared_ptr<Entry> entry);
    /// The same without checks of the content and without a probe, for a message that the gateway
    /// has made itself (tests of campaigns).
    void store(std::unique_ptr<model::Message> message, admission::Principal caller,
               const std::shared_ptr<Entry>& entry);

    // The steps of `submit`, in their order, for messages that share a commit (Bulk, campaigns).

    /// The checks of Admission.
    [[nodiscard]] admission::Checked<std::unique_ptr<model::Message>> examine(
        admission::Submission&& submission, const model::Account& account,
        admission::Judging& judging) const {
        return rooms_.admission.admit(std::move(submission), account, judging);
    }
    /// Probes the file of a media message. Calls `done` once, on the fetcher's thread.
    using Probed = std::move_only_function<void(admission::Checked<void>)>;
    void probe(const model::Message& message, Probed done);
    /// The time of acceptance, on both clocks (base/queue_clock.hpp).
    struct Moment {
        Timestamp wall;
        Timestamp queue;
    };
    [[nodiscard]] Moment now() const {
        return {.wall = rooms_.clock.wall_now(), .queue = rooms_.clock.now()};
    }
    /// Gives a message its id and its times. Returns the delay that was asked for.
    Millis begin(model::Message& message, const Moment& moment);
    /// Whether this process takes messages of the account, so far. Those of one that is about to
    /// leave are sent by its next owner.
    [[nodiscard]] bool takes_for(model::AccountId account) const {
        return rooms_.ownership.answers_for(account);
    }
    /// Whether the caller and the account may still send, and this process takes messages of the
    /// account. For the transaction. `waits`: somebody waits here for the outcome of the message,
    /// so that it must also be sent here.
    [[nodiscard]] admission::Checked<void> check_again(const admission::Principal& caller,
                                                       model::AccountId account,
                                                       bool waits = false) const;
    /// For a message that was stored, on the committer's thread after the commit.
    void accepted(std::unique_ptr<model::Message> message);

private:
    void store_message(std::unique_ptr<model::Message> message,
                       const std::shared_ptr<Entry>& entry);
    void stored(store::Accept&& accept, Entry& entry);

    Rooms rooms_;
};

}  // namespace merpati::intake
