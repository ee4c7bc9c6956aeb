#include "connector/cloud/codec/webhook_events.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;
using model::Progress;

constexpr std::size_t id_bytes_max = 64;
constexpr std::size_t opaque_bytes_max = 512;
constexpr std::size_t sender_bytes_max = 64;
constexpr std::size_t type_bytes_max = 32;
constexpr std::size_t file_name_bytes = 255;
constexpr std::size_t mime_bytes_max = 128;
constexpr std::int64_t seconds_max = 253'402'300'799;  // The year 9999.

struct StatusRow {
    std::string_view word;
    Progress progress;
};
constexpr std::array status_rows{
    StatusRow{"sent", Progress::sent},     StatusRow{"delivered", Progress::delivered},
    StatusRow{"read", Progress::read},     StatusRow{"played", Progress::read},
    StatusRow{"failed", Progress::failed},
};

/// A kind of message with media, and the gateway's name of it.
struct InboundMediaRow {
    std::string_view type;
    std::string_view known_as;
};
constexpr std::array inbound_media_rows{
    InboundMediaRow{"image", "image"},       InboundMediaRow{"video", "video"},
    InboundMediaRow{"audio", "audio"},       InboundMediaRow{"voice", "audio"},
    InboundMediaRow{"document", "document"}, InboundMediaRow{"sticker", "sticker"},
};

Timestamp time_of(const json::object& event, Timestamp now) {
    const auto seconds = find_number(event, "timestamp");
    return seconds && *seconds > 0 && *seconds <= seconds_max
               ? Timestamp{std::chrono::seconds{*seconds}}
               : now;
}

std::string id_of(const json::object& event) {
    auto id = find_text(event, "id", model::platform_id_bytes_max + 1);
    return is_platform_id(id) ? id : std::string{};
}

std::optional<StatusEvent> read_event_status(const json::object& status, Timestamp now) {
    const auto word = find_text(status, "status", type_bytes_max);
    const auto* const row = std::ranges::find(status_rows, word, &StatusRow::word);
    StatusEvent event{.phone_number_id = {},
                      .platform_id = id_of(status),
                      .opaque = find_text(status, "biz_opaque_callback_data", opaque_bytes_max),
                      .at = time_of(status, now),
                      .error = {}};
    if (row == status_rows.end() || event.platform_id.empty()) {
        return std::nullopt;
    }
    event.progress = row->progress;
    if (const auto* errors = find_array(status, "errors");
        event.progress == Progress::failed && errors != nullptr && !errors->empty()) {
        if (const auto* first = errors->front().if_object(); first != nullptr) {
            event.error = error_of(*first);
        }
    }
    return event;
}

/// The number, or the platform's user id where it gives none.
std::string sender_of(const json::object& message) {
    for (const auto* name : {"from", "from_user_id", "user_id"}) {
        auto sender = printable(find_text(message, name, sender_bytes_max));
        if (!sender.empty()) {
            return sender;
        }
    }
    return {};
}

/// The title of the button or of the row of a list that was chosen.
std::string reply_text(const json::object& message) {
    constexpr auto text_max = InboundMessage::text_bytes_max;
    if (const auto* button = find_object(message, "button"); button != nullptr) {
        auto text = find_text(*button, "text", text_max);
        return text.empty() ? find_text(*button, "payload", text_max) : text;
    }
    const auto* interactive = find_object(message, "interactive");
    if (interactive == nullptr) {
        return {};
    }
    for (const auto* name : {"button_reply", "list_reply"}) {
        if (const auto* reply = find_object(*interactive, name); reply != nullptr) {
            return find_text(*reply, "title", text_max);
        }
    }
    if (const auto* form = find_object(*interactive, "nfm_reply"); form != nullptr) {
        return find_text(*form, "body", text_max);
    }
    return {};
}

void read_media(const json::object& content, InboundMessage& message) {
    auto id = find_text(content, "id", id_bytes_max + 1);
    if (!is_media_id(id)) {
        return;
    }
    const auto bytes = find_number(content, "file_size").value_or(0);
    message.media = {.mime = printable(find_text(content, "mime_type", mime_bytes_max)),
                     .bytes = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0,
                     .name = printable(find_text(content, "filename", file_name_bytes)),
                     .reference = std::move(id)};
    message.text = find_text(content, "caption", InboundMessage::text_bytes_max);
}

void read_content(const json::object& event, std::string_view type, InboundMessage& message) {
    const auto* const media = std::ranges::find(inbound_media_rows, type, &InboundMediaRow::type);
    if (media != inbound_media_rows.end()) {
        message.type = media->known_as;
        if (const auto* content = find_object(event, type); content != nullptr) {
            read_media(*content, message);
        }
    } else if (type == "text") {
        message.type = "text";
        if (const auto* text = find_object(event, "text"); text != nullptr) {
            message.text = find_text(*text, "body", InboundMessage::text_bytes_max);
        }
    } else if (type == "button" || type == "interactive") {
        message.type = "text";
        message.text = reply_text(event);
    } else if (type == "location") {
        message.type = "location";
    } else if (type == "contacts") {
        message.type = "contact";
    } else {
        message.type = "other";
        if (const auto* reaction = find_object(event, "reaction"); reaction != nullptr) {
            message.text = find_text(*reaction, "emoji", id_bytes_max);
        }
    }
}

std::optional<InboundEvent> read_event_message(const json::object& event, Timestamp now) {
    InboundEvent read;
    auto& message = read.message;
    message.platform_id = id_of(event);
    message.sender = sender_of(event);
    message.at = time_of(event, now);
    if (message.platform_id.empty() || message.sender.empty()) {
        return std::nullopt;
    }
    read_content(event, find_text(event, "type", type_bytes_max), message);
    return read;
}

/// Appends what `read` makes of each object of the array.
template <class Read>
void read_all(const json::array* list, const std::string& number, std::vector<WebhookEvent>& events,
              Timestamp now, const Read& read) {
    if (list == nullptr) {
        return;
    }
    for (const auto& item : *list) {
        const auto* object = item.if_object();
        if (object == nullptr) {
            continue;
        }
        if (auto event = read(*object, now)) {
            event->phone_number_id = number;
            events.emplace_back(std::move(*event));
        }
    }
}

void read_change(const json::object& change, std::vector<WebhookEvent>& events, Timestamp now) {
    const auto* value = find_object(change, "value");
    const auto* metadata = value == nullptr ? nullptr : find_object(*value, "metadata");
    if (metadata == nullptr || find_text(change, "field", type_bytes_max) != "messages") {
        return;
    }
    const auto number = find_text(*metadata, "phone_number_id", id_bytes_max);
    if (number.empty()) {
        return;
    }
    read_all(find_array(*value, "statuses"), number, events, now, read_event_status);
    read_all(find_array(*value, "messages"), number, events, now, read_event_message);
}

}  // namespace

std::vector<WebhookEvent> read_webhook(std::string_view body, Timestamp now) {
    std::vector<WebhookEvent> events;
    const auto root = parse_object(body);
    const auto* entries = root ? find_array(*root, "entry") : nullptr;
    if (entries == nullptr ||
        find_text(*root, "object", type_bytes_max) != "whatsapp_business_account") {
        return events;
    }
    for (const auto& entry : *entries) {
        const auto* object = entry.if_object();
        const auto* changes = object == nullptr ? nullptr : find_array(*object, "changes");
        if (changes == nullptr) {
            continue;
        }
        for (const auto& change : *changes) {
            if (const auto* one = change.if_object(); one != nullptr) {
                read_change(*one, events, now);
            }
        }
    }
    return events;
}

bool is_media_id(std::string_view text) noexcept {
    return !text.empty() && text.size() <= id_bytes_max && std::ranges::all_of(text, [](char c) {
        return is_digit(c) || is_letter(c) || c == '-' || c == '_';
    });
}

}  // namespace merpati::connector::cloud
