// POST /v1/send, both revisions.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "admission/admission.hpp"
#include "api/call.hpp"
#include "api/idempotency.hpp"
#include "api/send/outcome_waiters.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "media/media_fetcher.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::api {

struct SendOptions {
    std::chrono::milliseconds revision_b_wait{15'000};
    bool revision_b_outcome = true;  // False: B is answered `sent` at acceptance.
};

/// Decodes a request, checks it (Admission), stores the message, answers.
///
/// Operation: revision A is answered when the message is durable. Revision B is answered when the
/// outcome is durable, or when the message's delay and the wait of SendOptions have passed; with
/// `revision_b_outcome` off, or without any wait, when the message is durable. The scheduler gets
/// the message after its commit. The file of a media message is probed between the checks and the
/// commit; its time of acceptance and its delay begin after the probe. The store refuses a sender
/// that was removed or given to another account after its check.
///
/// Threads: `handle` on any I/O thread. A media message continues on the fetcher's thread, a stored
/// one on the committer's. Each of them may answer. Fetcher and committer must have ended when this
/// object is destroyed.
class Send {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        const admission::Admission& admission;
        const Idempotency& idempotency;
        media::MediaFetcher& media_fetcher;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
        OutcomeWaiters& waiters;
    };

    Send(Rooms rooms, SendOptions options);
    ~Send();

    void handle(Call&& call);

    /// Called for each stored message, for metrics, on the committer's thread. (Refusals are
    /// counted by Authenticator::on_refused.) Set before the server starts; may be empty.
    std::function<void(const model::Message&)> on_accepted;

private:
    struct Pending;

    void probe(Call&& call, std::unique_ptr<model::Message> message);
    void store_message(Call&& call, std::unique_ptr<model::Message> message);
    [[nodiscard]] std::string at_once_answer(const model::Message& message) const;
    void stored(store::Accept&& accept, Pending&& pending);

    Rooms rooms_;
    SendOptions options_;
};

}  // namespace merpati::api
