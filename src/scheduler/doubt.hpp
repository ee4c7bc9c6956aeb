// What the end of a message says if an earlier attempt may have reached the platform.
#pragma once

#include "model/outcome.hpp"

namespace merpati::scheduler {

/// Begins the details of a message that was not sent with model::details::unknown, so that whoever
/// sends it again knows that it may arrive twice. Call it for a message that is perhaps_sent.
/// A platform that refuses the recipient has not taken the message in an earlier attempt either:
/// then nothing changes.
void note_doubt(model::Completion& completion);

}  // namespace merpati::scheduler
