#include "devices/notices.hpp"

#include "base/json_text.hpp"
#include "callback/event_body.hpp"
#include "model/texts.hpp"

namespace merpati::devices {
namespace {

using model::DeviceState;

std::string_view event_of(DeviceState state) {
    switch (state) {
        case DeviceState::connected:
            return "device.connected";
        case DeviceState::restricted:
            return "device.restricted";
        case DeviceState::disconnected:
        case DeviceState::reconnecting:
        case DeviceState::logged_out:
        case DeviceState::replaced:
        case DeviceState::banned:
            return "device.disconnected";
        case DeviceState::pairing:
            return {};
    }
    return {};
}

}  // namespace

void EventData::add_name(std::string_view name) {
    text_ += text_.size() == 1 ? "" : ",";
    append_json_string(text_, name);
    text_ += ':';
}

EventData& EventData::add(std::string_view name, std::string_view value) {
    add_name(name);
    append_json_string(text_, value);
    return *this;
}

EventData& EventData::add(std::string_view name, std::uint64_t value) {
    add_name(name);
    text_ += std::to_string(value);
    return *this;
}

EventData& EventData::add(std::string_view name, const EventData& value) {
    add_name(name);
    text_ += value.text();
    return *this;
}

std::optional<model::Callback> Notices::of_end(const model::Message& message,
                                               const model::Completion& completion) {
    if (message.callback_url.empty() || completion.state == model::MessageState::held) {
        return std::nullopt;
    }
    return model::Callback{.id = ids_.next(),
                           .account = message.account,
                           .message = message.id,
                           .url = message.callback_url,
                           .origin_key = callback::origin_key_of(message.callback_url),
                           .body = callback::message_status_body(message, completion),
                           .created_at = clock_.now()};
}

std::optional<model::Callback> Notices::of_event(const model::Device& device,
                                                 std::string_view event, const EventData& data) {
    if (device.webhook_url.empty()) {
        return std::nullopt;
    }
    return model::Callback{
        .id = ids_.next(),
        .account = device.account,
        .kind = model::CallbackKind::device_event,
        .message = {},
        .url = device.webhook_url,
        .origin_key = callback::origin_key_of(device.webhook_url),
        .body = callback::device_event_body(event, device.number, clock_.wall_now(), data.text()),
        .created_at = clock_.now()};
}

std::optional<model::Callback> Notices::of_state(const model::Device& device,
                                                 std::string_view reason) {
    const auto event = event_of(device.state);
    if (event.empty()) {
        return std::nullopt;
    }
    EventData data;
    data.add("state", model::to_string(device.state));
    if (!reason.empty()) {
        data.add("reason", reason);
    }
    if (device.state == DeviceState::restricted && device.restricted_until) {
        data.add("until", to_rfc3339(*device.restricted_until));
    }
    return of_event(device, event, data);
}

model::Callback test_callback(UuidSource& ids, const QueueClock& clock, model::AccountId account,
                              std::string url) {
    model::Message message;
    message.id = ids.next();
    message.account = account;
    const model::Completion completion{.state = model::MessageState::sent,
                                       .code = model::StatusCode::sent,
                                       .details = std::string{model::details::test_callback},
                                       .finished_at = clock.wall_now()};
    return {.id = message.id,
            .account = account,
            .message = {},
            .url = std::move(url),
            .body = callback::message_status_body(message, completion),
            .created_at = clock.now()};
}

model::Completion given_up(Timestamp now) {
    return {.state = model::MessageState::failed,
            .code = model::StatusCode::failed,
            .details = std::string{model::details::given_up},
            .finished_at = now};
}

}  // namespace merpati::devices
