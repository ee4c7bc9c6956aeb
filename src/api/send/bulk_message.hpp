// The messages of one POST /v1/messages/bulk, and its answer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/refusal.hpp"
#include "model/message.hpp"
#include "store/records.hpp"

namespace merpati::api {

/// One message of the request.
struct BulkMessage {
    std::string recipient;  // As the caller gave it.
    bool recipient_quoted = true;
    std::unique_ptr<model::Message> message{};  // While it is neither refused nor stored.
    std::optional<store::IdempotencyRecord> key{};
    /// How it ended: the id of its message; empty: of none, in a trial.
    admission::Checked<std::optional<model::MessageId>> end{};
};

using BulkMessages = std::vector<BulkMessage>;

[[nodiscard]] std::size_t count_accepted(const BulkMessages& messages);

/// `{"accepted","refused","results":[…]}`, once all have ended.
[[nodiscard]] std::string bulk_answer(const BulkMessages& messages);

}  // namespace merpati::api
