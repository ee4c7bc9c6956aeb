// POST /v1/send, both revisions.
#pragma once

#include <chrono>
#include <string>

#include "api/call.hpp"
#include "api/idempotency.hpp"
#include "api/send/outcome_waiters.hpp"
#include "base/queue_clock.hpp"
#include "intake/intake.hpp"

namespace merpati::api {

struct SendOptions {
    std::chrono::milliseconds revision_b_wait{15'000};
    bool revision_b_outcome = true;  // False: B is answered `sent` at acceptance.
};

/// Decodes a request, gives it to Intake, answers.
///
/// Operation: revision A is answered when the message is durable. Revision B is answered when the
/// outcome is durable, or when the message's delay and the wait of SendOptions have passed; with
/// `revision_b_outcome` off, or without any wait, when the message is durable.
///
/// Threads: `handle` on any I/O thread. Intake says which threads answer.
class Send {
public:
    struct Rooms {
        const QueueClock& clock;
        intake::Intake& intake;
        const Idempotency& idempotency;
        OutcomeWaiters& waiters;
    };

    Send(Rooms rooms, SendOptions options) : rooms_(rooms), options_(options) {}

    void handle(Call&& call);

private:
    class Entry;

    /// How long the answer waits for the outcome; 0: it comes when the message is stored.
    [[nodiscard]] Millis wait_for(model::Revision revision, Millis delay) const;
    [[nodiscard]] std::string at_once_answer(const model::Message& message) const;

    Rooms rooms_;
    SendOptions options_;
};

}  // namespace merpati::api
