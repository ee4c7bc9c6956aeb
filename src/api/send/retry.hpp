// Sends a failed or cancelled message again, as a new message.
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

/// Operation: the fields of the ended message are submitted again, without its delay. The new
/// message passes admission, the probe of its file and the charge like any other. One commit stores
/// it under a new id and links the two. A message can be sent again once; the new message, when it
/// has ended without success, too.
///
/// Threads: any; `done` is called on the caller's, the fetcher's or the committer's. Fetcher and
/// committer must have ended when this object is destroyed.
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

    /// Calls `done` once, with the new message's id. Errors: refused (with the text that /v1/send
    /// would answer), conflict (it was sent again before), busy.
    void send(const model::Message& ended, Done done);

private:
    struct Attempt;

    void probe(std::shared_ptr<Attempt> attempt);
    void store_message(const std::shared_ptr<Attempt>& attempt);

    Rooms rooms_;
};

}  // namespace merpati::api
