// Makes the callbacks and webhook notices that are stored: ends of messages, events of devices.
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

namespace merpati::devices {

/// Builds the text of a JSON object.
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

/// Used by the server and by commands that work on a stopped server's store, so that both write the
/// same notices.
///
/// Threads: any.
class Notices {
public:
    Notices(const QueueClock& clock, UuidSource& ids) : clock_(clock), ids_(ids) {}

    /// The callback of a message's end. Empty if the message has no callback URL, or is held.
    [[nodiscard]] std::optional<model::Callback> of_end(const model::Message& message,
                                                        const model::Completion& completion);

    /// A webhook notice of the device. Empty if it has no webhook.
    [[nodiscard]] std::optional<model::Callback> of_event(const model::Device& device,
                                                          std::string_view event,
                                                          const EventData& data);

    /// The notice `device.connected` or `device.disconnected` of the device's state. Empty in
    /// `pairing`, which has its own event. The caller decides whether a notice is due.
    [[nodiscard]] std::optional<model::Callback> of_state(const model::Device& device,
                                                          std::string_view reason);

private:
    const QueueClock& clock_;
    UuidSource& ids_;
};

/// A callback about a message that does not exist, to test a callback URL.
[[nodiscard]] model::Callback test_callback(UuidSource& ids, const QueueClock& clock,
                                            model::AccountId account, std::string url);

/// The completion of a held message that an operator ends as failed.
[[nodiscard]] model::Completion given_up(Timestamp now);

}  // namespace merpati::devices
