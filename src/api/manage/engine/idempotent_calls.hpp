// Idempotency-Key of the catalogue: a repeated call is carried out once.
#pragma once

#include <functional>
#include <string_view>

#include "admission/principal.hpp"
#include "api/manage/engine/context.hpp"
#include "api/manage/engine/problem.hpp"
#include "http/request.hpp"

namespace merpati::api::manage {

struct Request;

/// Operation: the call's first commit stores the key, also if it is that of a message
/// (Context::unstored_key). A second commit stores the answer. For 24 hours a repeat gets this
/// answer, without the field that is shown only once. If the call fails before its first commit,
/// its key stays free.
///
/// Faults: if the answer was not stored after a commit (the process died, the call failed later, or
/// the store was busy), a repeat is refused with 409 and does nothing. An operation with an effect
/// outside the store may commit nothing before its answer; if the process dies, a repeat is carried
/// out again. That is harmless, because it meets the state that the first call left: a message that
/// was cancelled, hastened, failed or sent again is a conflict; a device is connected,
/// disconnected, or shows its pairing; a backup does not replace a file; a test callback is posted
/// once more.
///
/// Threads: any. Limits: one held key per running call.
class IdempotentCalls {
public:
    /// Answers a call. Must make its changes through the given context, and send with its key.
    using Work = std::function<Outcome(const Context&)>;

    /// The context must outlive this object.
    explicit IdempotentCalls(const Context& context) : context_(context) {}

    /// For a request with a key. `shown_once`: the field of the answer that is not stored. Errors:
    /// those of the store, when it looks for an earlier request.
    [[nodiscard]] Result<Outcome> run(const Request& request, const admission::Principal& caller,
                                      std::string_view shown_once, const Work& work) const;

private:
    const Context& context_;
};

}  // namespace merpati::api::manage
