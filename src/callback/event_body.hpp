// The bodies of callbacks and webhooks, serialised once and sent unchanged on every attempt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::callback {

/// The body of docs/api.md, Callbacks, with its fields in that order. `device`, `to` and `code` are
/// JSON numbers; `to` is the recipient's first 18 digits without leading zeros, or 0. `campaignId`
/// is "" for API sends.
[[nodiscard]] std::string message_status_body(const model::Message& message,
                                              const model::Completion& completion);

/// The body of docs/api.md, Adding a device: {"event","device","timestamp","data"}. `data` is a
/// JSON object.
[[nodiscard]] std::string device_event_body(std::string_view event, model::PhoneNumber device,
                                            Timestamp time, std::string_view data);

/// The body of docs/campaigns.md, Webhook events: {"event","timestamp","data"}. `data` is a JSON
/// object.
[[nodiscard]] std::string campaign_event_body(std::string_view event, Timestamp time,
                                              std::string_view data);

/// model::Callback::origin_key of a URL: a hash of the text up to the path (scheme, host, port).
[[nodiscard]] std::int64_t origin_key_of(std::string_view url);

}  // namespace merpati::callback
