// Callbacks and webhooks to be stored: of a message's end, of events of a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "model/callback.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::daemon {

/// A JSON object.
class EventData {
public:
    EventData& add(std::string_view name, std::string_view value);
    EventData& add(std::string_view name, std::uint64_t value);
    EventData& add(std::string_view name, const EventData& value);
    [[nodiscard]] std::string text() const { return text_ + "}"; }

private:
    void add_name(std::string_view name);

    std::string text_ = "{";
};

/// The same words whether the server runs or a command works on its store.
///
/// Threads: any.
class Notices {
public:
    Notices(const QueueClock& clock, UuidSource& ids) : clock_(clock), ids_(ids) {}

    /// Empty where the message asked for no callback, or is held.
    [[nodiscard]] std::optional<model::Callback> of_end(const model::Message& message,
                                                        const model::Completion& completion);

    /// Empty where the device has no webhook.
    [[nodiscard]] std::optional<model::Callback> of_event(const model::Device& device,
                                                          std::string_view event,
                                                          const EventData& data);

    /// `device.connected` or `device.disconnected`; pairing has an event of its own. Whoever asks
    /// knows whether it is news.
    [[nodiscard]] std::optional<model::Callback> of_state(const model::Device& device,
                                                          std::string_view reason);

private:
    const QueueClock& clock_;
    UuidSource& ids_;
};

/// A callback that tells of a message that does not exist, for the test of an address.
[[nodiscard]] model::Callback test_callback(UuidSource& ids, const QueueClock& clock,
                                            model::AccountId account, std::string url);

/// The end of a held message that the operator fails.
[[nodiscard]] model::Completion given_up(Timestamp now);

}  // namespace merpati::daemon
