// Idempotency-Key of the catalogue: a call that is repeated is carried out once.
#pragma once

#include <functional>
#include <string_view>

#include "admission/principal.hpp"
#include "api/keys_in_flight.hpp"
#include "api/manage/context.hpp"
#include "api/manage/problem.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

struct Request;

/// Operation: the key is recorded with the first change that the call commits, its answer when
/// that is known. A repeat is answered that answer again, for 24 hours; without what is shown only
/// once, which nothing keeps. A call that fails before it has changed anything leaves its key free.
///
/// Faults: of a call that was carried out when the process died before its answer was recorded, a
/// repeat is told so (409), and does nothing. What is done outside the store commits nothing under
/// the key before its answer does, so such a repeat is carried out again, and that is harmless: it
/// is decided by what the first one left. A message that was cancelled, hastened, failed or sent
/// again is a conflict; a device is connected, disconnected or shows how it is paired; a backup
/// does not replace a file; one test callback more is posted.
///
/// Threads: any. Limits: one key per call under way.
class IdempotentCalls {
public:
    /// Answers a call; changes go through the context that it is given.
    using Work = std::function<Outcome(const Context&)>;

    /// Of a request that has a key. `shown_once`: the field of the answer that is not kept.
    [[nodiscard]] Outcome run(const Context& context, const Request& request,
                              const admission::Principal& caller, std::string_view shown_once,
                              const Work& work);

private:
    KeysInFlight in_flight_;
};

}  // namespace merpati::api::manage
