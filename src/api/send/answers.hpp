// The answers of POST /v1/send, and of its messages in POST /v1/messages/bulk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/errors.hpp"
#include "http/reply.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::api {

/// Revision A, at acceptance: `pending` with requestId (interface 2.2).
[[nodiscard]] std::string accepted_answer(const model::Message& message);

/// One of `results` of a bulk, with the words and codes of revision A: `pending`, with the
/// message's id if there is one, or why it was refused.
void append_bulk_result(std::string& out,
                        const admission::Checked<std::optional<model::MessageId>>& end,
                        std::string_view recipient, bool recipient_quoted);

/// Revision B: `sent`.
[[nodiscard]] std::string sent_answer(const model::Message& message);

/// Revision B, when no outcome is known within the wait: success with `pending` (decisions.md,
/// Revision B).
[[nodiscard]] std::string still_pending_answer(const model::Message& message);

/// Revision B: the answer for a message in the completion's state: `sent`, a failure, or `pending`
/// while it has not ended or is held.
[[nodiscard]] http::Reply outcome_answer(const model::Message& message,
                                         const model::Completion& completion);

}  // namespace merpati::api
