// Reads what the platform posts to the webhook.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "connector/cloud/codec/graph_error.hpp"
#include "connector/connector.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::cloud {

/// A status of a message.
struct StatusEvent {
    std::string phone_number_id;
    std::string platform_id;
    std::string opaque;  // What the message carried; empty: nothing.
    model::Progress progress = model::Progress::sent;
    Timestamp at;
    GraphError error;  // Why, if it failed.
};

/// A message that a number received.
struct InboundEvent {
    std::string phone_number_id;
    InboundMessage message;  // Without its device.
};

using WebhookEvent = std::variant<StatusEvent, InboundEvent>;

/// The events in the order of the body; `now` is the time of those that state none. Fields, kinds
/// and statuses that are not known are skipped, and so is what is no JSON.
///
/// Limits: the caller's of the body. Texts and names are cut to their limits; an event whose ids
/// cannot be the platform's is skipped.
[[nodiscard]] std::vector<WebhookEvent> read_webhook(std::string_view body, Timestamp now);

/// The media's reference (InboundMessage::Media) is the platform's id of it: 1 to 64 characters of
/// letters, digits, '-' and '_'.
[[nodiscard]] bool is_media_id(std::string_view text) noexcept;

}  // namespace merpati::connector::cloud
