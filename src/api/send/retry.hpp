// Sends a failed or cancelled message again, as a new message.
#pragma once

#include <functional>

#include "intake/intake.hpp"

namespace merpati::api {

/// Operation: the fields of the ended message are submitted again, without its delay. The new
/// message passes Intake and is charged like any other. One commit stores it under a new id and
/// links the two. A message can be sent again once; the new message, when it has ended without
/// success, too.
///
/// Threads: any; `done` is called on the caller's, the fetcher's or the committer's.
class Retry {
public:
    struct Rooms {
        const Clock& clock;
        const admission::Directory& directory;
        intake::Intake& intake;
    };
    using Done = std::move_only_function<void(Result<model::MessageId>)>;

    explicit Retry(Rooms rooms) : rooms_(rooms) {}

    /// Calls `done` once, with the new message's id. Errors: refused (with the text that /v1/send
    /// would answer), forbidden (the caller has lost its rights meanwhile), conflict (it was sent
    /// again before, or its campaign is paused or cancelled), busy (as refused, but the same call
    /// may succeed later).
    void send(const model::Message& ended, admission::Principal caller, Done done);

private:
    class Entry;

    Rooms rooms_;
};

}  // namespace merpati::api
