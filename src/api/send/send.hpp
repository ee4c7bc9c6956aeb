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
    bool revision_b_outcome = true;  // False: B is answered at acceptance.
};

/// Decodes a request, lets admission judge it, stores the message, answers.
///
/// Revision A is answered when the message is on disk; revision B when its outcome is, or when its
/// wait runs out. The message is handed to the scheduler only after its commit. A media message is
/// put aside between its checks and the store until its address was probed; it is accepted, and its
/// delay begins, after that. A sender that was removed or changed hands after its check is refused
/// by the store.
///
/// Threads: `handle` on any I/O thread; a media message goes on in the fetcher's; answers are given
/// from the committer's. Fetcher and committer must have ended when this object is destroyed.
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

    /// Told of each acceptance, for figures; refusals are reported to Authenticator. Set before the
    /// server starts.
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
