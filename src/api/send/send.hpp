// POST /v1/send, both revisions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "admission/directory.hpp"
#include "api/caller.hpp"
#include "api/idempotency.hpp"
#include "api/send/outcome_waiters.hpp"
#include "api/send/submission.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "connector/connectors.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "media/prober.hpp"
#include "outbound/url.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::api {

struct SendOptions {
    std::uint32_t random_delay_max = 30;  // Seconds.
    std::chrono::milliseconds revision_b_wait{15'000};
    bool revision_b_outcome = true;  // False: B is answered at acceptance.
    bool allow_http_callbacks = false;
};

/// Decodes a request, runs the checks in decisions.md's order, stores the message, answers.
///
/// Revision A is answered when the message is on disk; revision B when its outcome is, or when its
/// wait runs out. The message is handed to the scheduler only after its commit. A media message is
/// put aside between its checks and the store until its address was probed; it is accepted, and its
/// delay begins, after that. A sender that was removed or changed hands after its check is refused
/// by the store.
///
/// Threads: `handle` on any I/O thread; a media message goes on in the prober's; answers are given
/// from the committer's. Prober and committer must have ended when this object is destroyed.
class Send {
public:
    struct Rooms {
        const QueueClock& clock;
        Random& random;
        UuidSource& ids;
        const Entrance& entrance;
        Idempotency& idempotency;
        const admission::Directory& directory;
        const outbound::AddressPolicy& policy;
        media::Prober& prober;
        const connector::Connectors& connectors;
        store::Store& store;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
        OutcomeWaiters& waiters;
    };

    Send(Rooms rooms, SendOptions options);
    ~Send();

    void handle(const http::Request& request, http::Responder responder);

    /// Told of each acceptance, for figures; refusals are told to Entrance. Set before the server
    /// starts.
    std::function<void(model::Revision)> on_accepted;

private:
    struct Pending;

    [[nodiscard]] std::variant<std::unique_ptr<model::Message>, Refusal> decide(
        const Caller& caller) const;
    [[nodiscard]] std::variant<std::monostate, Refusal> decide_later_fields(
        const Caller& caller, const RevisionRules& rules, model::Message& message) const;
    void probe(Caller caller, std::unique_ptr<model::Message> message, KeyedResponder responder);
    void store_message(Caller caller, std::unique_ptr<model::Message> message,
                       KeyedResponder responder);
    [[nodiscard]] std::string at_once_answer(const model::Message& message) const;
    void stored(store::Accept&& accept, Pending pending);
    [[nodiscard]] http::Reply refused(Refusal refusal, model::Revision revision) const;
    [[nodiscard]] http::Reply answer_from_state(const store::IdempotencyRecord& first) const;

    Rooms rooms_;
    SendOptions options_;
    /// A repeat whose first request never got its answer: its message's state tells it.
    const Idempotency::Recall recall_ = [this](const store::IdempotencyRecord& first) {
        return answer_from_state(first);
    };
};

}  // namespace merpati::api
