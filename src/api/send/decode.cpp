#include "api/send/decode.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace merpati::api {
namespace {

using admission::Delay;
using admission::Submission;

/// The fields that differ between the revisions. An empty name: the revision has no such field.
struct FieldNames {
    std::string_view content;
    std::string_view callback;
    std::string_view typing;
};

constexpr FieldNames names_of(model::Revision revision) {
    return revision == model::Revision::a
               ? FieldNames{.content = "message", .callback = "callbackStatus", .typing = "typing"}
               : FieldNames{.content = "pesan", .callback = {}, .typing = {}};
}

JsonField* find(JsonFields& fields, std::string_view name) {
    return name.empty() ? nullptr : fields.find(name);
}

std::optional<model::MessageType> read_type(const JsonField* field) {
    if (field != nullptr && field->is_string()) {
        for (const auto type : {model::MessageType::text, model::MessageType::media}) {
            if (field->text == model::to_string(type)) {
                return type;
            }
        }
    }
    return std::nullopt;
}

/// A number may be written as a string of digits or as an integer.
bool is_number(const JsonField* field) {
    return field != nullptr && (field->is_string() || field->is_integer());
}

Delay read_delay(const JsonField* field) {
    if (field == nullptr) {
        return {};
    }
    if (!is_number(field)) {
        return {.kind = Delay::Kind::malformed};
    }
    if (field->is_string() && field->text == "random") {
        return {.kind = Delay::Kind::random};
    }
    // A JSON integer has no leading zero, so a string may not have one either.
    Delay delay{.kind = Delay::Kind::seconds};
    const auto* end = field->text.data() + field->text.size();
    const auto [stop, error] = std::from_chars(field->text.data(), end, delay.seconds);
    if (field->text.starts_with('0') || error != std::errc{} || stop != end) {
        delay.kind = Delay::Kind::malformed;
    }
    return delay;
}

std::optional<bool> read_typing(const JsonField* field) {
    if (field == nullptr) {
        return false;
    }
    if (field->kind == JsonField::Kind::boolean) {
        return field->boolean;
    }
    if (field->is_string() && (field->text == "true" || field->text == "false")) {
        return field->text == "true";
    }
    return std::nullopt;
}

}  // namespace

Submission decode(JsonFields&& fields, model::Revision revision) {
    const auto names = names_of(revision);
    Submission submission{.revision = revision};
    submission.type = read_type(fields.find("Type"));
    if (auto* content = fields.find(names.content); content != nullptr && content->is_string()) {
        submission.content = std::move(content->text);
    }
    if (auto* url = fields.find("url"); url != nullptr && url->is_string()) {
        submission.media_url = std::move(url->text);
    }
    if (auto* sender = fields.find("from"); is_number(sender)) {
        submission.sender = std::move(sender->text);
    }
    if (auto* recipient = fields.find("to"); is_number(recipient)) {
        submission.recipient = std::move(recipient->text);
        submission.recipient_quoted = recipient->is_string();
    }
    submission.delay = read_delay(fields.find("delay"));
    submission.typing = read_typing(find(fields, names.typing));
    if (auto* callback = find(fields, names.callback)) {
        submission.callback_url =
            callback->is_string() ? std::optional{std::move(callback->text)} : std::nullopt;
    }
    return submission;
}

}  // namespace merpati::api
