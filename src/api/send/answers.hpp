// The answers of POST /v1/send.
#pragma once

#include <string>

#include "api/errors.hpp"
#include "http/reply.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::api {

/// Revision A: accepted (interface 2.2, `pending` with requestId).
[[nodiscard]] std::string accepted_answer(const model::Message& message);

/// Revision B: `sent`.
[[nodiscard]] std::string sent_answer(const model::Message& message);

/// Revision B, when the wait ran out: success with `pending` (decisions.md, Revision B).
[[nodiscard]] std::string still_pending_answer(const model::Message& message);

/// Revision B: the answer to an ended (or held) message.
[[nodiscard]] http::Reply outcome_answer(const model::Message& message,
                                         const model::Completion& completion);

}  // namespace merpati::api
