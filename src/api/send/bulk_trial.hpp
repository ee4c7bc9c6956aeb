// The end of a trial (`dry_run`) of POST /v1/messages/bulk.
#pragma once

#include <cstdint>
#include <optional>

#include "api/send/bulk_message.hpp"

namespace merpati::api {

/// Ends the messages that have passed their checks as the transaction would end them: in their
/// order, equal keys give one message, and each message costs one of `credit`. Stores nothing.
///
/// `credit`: the account's balance; empty: it is not counted.
void end_trial(BulkMessages& messages, std::optional<std::int64_t> credit);

}  // namespace merpati::api
