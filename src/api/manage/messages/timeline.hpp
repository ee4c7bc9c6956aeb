// The history of a message as one list.
#pragma once

#include <vector>

#include <boost/json/array.hpp>

#include "store/reader.hpp"

namespace merpati::api::manage {

/// A callback of the message, and its attempts.
struct CallbackStory {
    store::QueuedCallback callback;
    std::vector<model::CallbackAttempt> attempts;
};

/// The steps in order of time, each {"at","step","for","until","code","details","id","took_ms",
/// "count"} with null for values that it does not have. Steps: accepted, delayed, waited, typing,
/// sending, attempted, handed_over, sent, failed, cancelled, held, released, hastened, delivered,
/// read, retry_of, retried_as, callback; and `folded`, which replaces `count` steps that were not
/// kept.
[[nodiscard]] boost::json::array timeline_of(const store::MessageRecord& record,
                                             const store::MessageTrail& trail,
                                             const std::vector<CallbackStory>& callbacks);

}  // namespace merpati::api::manage
