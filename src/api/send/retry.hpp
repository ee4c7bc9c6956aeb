// Sends a message that failed or was cancelled again, as a new one.
#pragma once

#include <functional>
#include <memory>

#include "admission/admission.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "media/media_fetcher.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"

namespace merpati::api {

/// Operation: what was asked for the first time is submitted anew, without its delay: it passes
/// admission, the probe of its file and the charge as any message does, and is accepted under an id
/// of its own in the commit that links the two. A message is sent again once; what became of it can
/// be sent again in its turn.
///
/// Threads: any; `done` is called on the caller's, the fetcher's or the committer's.
class Retry {
public:
    struct Rooms {
        const QueueClock& clock;
        UuidSource& ids;
        const admission::Directory& directory;
        const admission::Admission& admission;
        media::MediaFetcher& media_fetcher;
        store::Committer& committer;
        scheduler::Scheduler& scheduler;
    };
    using Done = std::move_only_function<void(Result<model::MessageId>)>;

    explicit Retry(Rooms rooms) : rooms_(rooms) {}

    /// Calls `done` once, with the new message's id. Errors: refused (in the words that a caller of
    /// /v1/send reads), conflict (it was sent again before), busy.
    void send(const model::Message& ended, Done done);

private:
    struct Attempt;

    void probe(std::shared_ptr<Attempt> attempt);
    void store_message(std::shared_ptr<Attempt> attempt);

    Rooms rooms_;
};

}  // namespace merpati::api
