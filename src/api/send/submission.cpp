#include "api/send/submission.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace merpati::api {
namespace {

/// UTF-8 of the characters that Unicode calls white space (White_Space). Invisible ones that are
/// not, such as the zero-width space, are text.
constexpr auto blanks = std::to_array<std::string_view>(
    {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
     "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
     "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"});

bool blank(std::string_view text) {
    while (!text.empty()) {
        const auto first = std::ranges::find_if(
            blanks, [text](std::string_view one) { return text.starts_with(one); });
        if (first == blanks.end()) {
            return false;
        }
        text.remove_prefix(first->size());
    }
    return true;
}

}  // namespace

Decoded<model::MessageType> decode_type(const JsonFields& fields) {
    const auto* field = fields.find("Type");
    if (field != nullptr && field->is_string()) {
        for (const auto type : {model::MessageType::text, model::MessageType::media}) {
            if (field->text == model::to_string(type)) {
                return type;
            }
        }
    }
    return Refusal::type_unsupported;
}

Decoded<std::string> decode_content(const JsonFields& fields, const RevisionRules& rules,
                                    model::MessageType type) {
    const auto* field = fields.find(rules.text_field);
    const bool present = field != nullptr && field->is_string();
    if (type == model::MessageType::media) {
        return present ? field->text : std::string{};
    }
    if (!present || blank(field->text)) {
        return Refusal::message_empty;
    }
    return field->text;
}

Decoded<std::string> decode_media_url(const JsonFields& fields) {
    const auto* field = fields.find("url");
    if (field == nullptr || !field->is_string() || field->text.empty()) {
        return Refusal::media_url_missing;
    }
    return field->text;
}

std::string decode_sender(const JsonFields& fields) {
    const auto* field = fields.find("from");
    return field != nullptr && (field->is_string() || field->is_integer()) ? field->text
                                                                           : std::string{};
}

Decoded<Recipient> decode_recipient(const JsonFields& fields) {
    const auto* field = fields.find("to");
    if (field == nullptr || !(field->is_string() || field->is_integer()) || field->text.empty()) {
        return Refusal::recipient_invalid;
    }
    return Recipient{.text = field->text, .quoted = field->is_string()};
}

Decoded<std::optional<std::chrono::seconds>> decode_delay(const JsonFields& fields,
                                                          const RevisionRules& rules,
                                                          std::uint32_t random_max,
                                                          Random& random) {
    const auto* field = fields.find("delay");
    if (field == nullptr) {
        return std::optional<std::chrono::seconds>{};
    }
    if (!field->is_string() && !field->is_integer()) {
        return Refusal::delay_invalid;
    }
    if (field->is_string() && field->text == "random") {
        const auto highest = std::max(1U, std::min(random_max, rules.delay_max));
        return std::optional{std::chrono::seconds{random.between(1, highest)}};
    }
    // The string of a JSON integer: neither has a leading zero, nor may the string.
    const bool leading_zero = field->text.starts_with('0');
    std::uint32_t seconds = 0;
    const auto* end = field->text.data() + field->text.size();
    const auto [stop, error] = std::from_chars(field->text.data(), end, seconds);
    if (leading_zero || error != std::errc{} || stop != end || seconds < 1 ||
        seconds > rules.delay_max) {
        return Refusal::delay_invalid;
    }
    return std::optional{std::chrono::seconds{seconds}};
}

Decoded<bool> decode_typing(const JsonFields& fields, const RevisionRules& rules) {
    const auto* field = rules.typing_field.empty() ? nullptr : fields.find(rules.typing_field);
    if (field == nullptr) {
        return false;
    }
    if (field->kind == JsonField::Kind::boolean) {
        return field->boolean;
    }
    if (field->is_string() && (field->text == "true" || field->text == "false")) {
        return field->text == "true";
    }
    return Refusal::typing_invalid;
}

Decoded<std::string> decode_callback(const JsonFields& fields, const RevisionRules& rules) {
    const auto* field = rules.callback_field.empty() ? nullptr : fields.find(rules.callback_field);
    if (field == nullptr) {
        return std::string{};
    }
    if (!field->is_string()) {
        return Refusal::callback_url_invalid;
    }
    return field->text;
}

std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace merpati::api
