#include "connector/cloud/codec/message_body.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

#include "base/ascii.hpp"
#include "base/single_blanks.hpp"
#include "base/utf8.hpp"
#include "base/uuid.hpp"
#include "connector/file_name.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

constexpr std::size_t file_name_characters_max = 240;
constexpr std::string_view first_part_mark = ":1";
constexpr std::size_t characters_of_long_template = 1;  // What is always left for the text.

/// A user id of the platform ("US.13491208655302741918"), where somebody shows no number.
bool is_user_id(std::string_view recipient) {
    constexpr std::size_t country = 2;
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    return recipient.size() > country + 1 && is_upper(recipient[0]) && is_upper(recipient[1]) &&
           recipient[country] == '.' &&
           std::ranges::all_of(recipient.substr(country + 1),
                               [](char c) { return is_digit(c) || is_letter(c); });
}

json::object body_of(const Envelope& envelope, std::string_view type, json::object content) {
    return {{"messaging_product", "whatsapp"},
            {"recipient_type", "individual"},
            {is_user_id(envelope.recipient) ? "recipient" : "to", envelope.recipient},
            {"type", type},
            {type, std::move(content)},
            {"biz_opaque_callback_data", envelope.opaque}};
}

/// `name` empty: the variable is numbered.
json::object text_parameter(std::string_view name, std::string_view text) {
    json::object parameter{{"type", "text"}};
    if (!name.empty()) {
        parameter["parameter_name"] = name;
    }
    parameter["text"] = text;
    return parameter;
}

json::object url_component(std::uint32_t button, std::string_view text) {
    return {{"type", "button"},
            {"sub_type", "url"},
            {"index", std::to_string(button)},
            {"parameters", json::array{text_parameter({}, text)}}};
}

json::object coupon_component(std::uint32_t button, std::string_view code) {
    return {
        {"type", "button"},
        {"sub_type", "copy_code"},
        {"index", std::to_string(button)},
        {"parameters", json::array{json::object{{"type", "coupon_code"}, {"coupon_code", code}}}}};
}

json::object file_parameter(const TemplateUse& use) {
    json::object file{{"id", use.media_id}};
    if (!use.file_name.empty()) {
        file["filename"] = use.file_name;
    }
    return {{"type", use.file_kind->kind}, {use.file_kind->kind, std::move(file)}};
}

void add_header(json::array& components, const TemplateUse& use) {
    if (use.file_kind == nullptr && use.header.empty()) {
        return;
    }
    auto parameter = use.file_kind != nullptr ? file_parameter(use)
                                              : text_parameter(use.header_name, use.header);
    components.push_back(
        json::object{{"type", "header"}, {"parameters", json::array{std::move(parameter)}}});
}

void add_buttons(json::array& components, const TemplateUse& use) {
    if (use.code_button && !use.values.empty()) {
        components.push_back(url_component(*use.code_button, use.values.front()));
    }
    for (const auto& [kind, place, text] : use.buttons) {
        components.push_back(kind == MessageTemplate::Button::Kind::coupon
                                 ? coupon_component(place, text)
                                 : url_component(place, text));
    }
}

/// The first `count` characters.
std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t bytes = 0;
    for (; bytes < text.size(); ++bytes) {
        const bool begins = (static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80U;
        if (begins && count-- == 0) {
            break;
        }
    }
    return text.substr(0, bytes);
}

/// The characters of a template's text without the places of its variable, and how many these are.
std::pair<std::size_t, std::size_t> own_characters(std::string_view body) {
    auto own = utf8_characters(body);
    std::size_t places = 0;
    for (;;) {
        const auto begin = body.find("{{");
        const auto end = begin == std::string_view::npos ? begin : body.find("}}", begin);
        if (end == std::string_view::npos) {
            return {own, std::max<std::size_t>(places, 1)};
        }
        own -= utf8_characters(body.substr(begin, end + 2 - begin));
        ++places;
        body.remove_prefix(end + 2);
    }
}

}  // namespace

std::string opaque_of(const model::MessageId& message, bool first_part) {
    return first_part ? message.text() + std::string{first_part_mark} : message.text();
}

std::optional<Opaque> parse_opaque(std::string_view text) {
    const bool first_part = text.ends_with(first_part_mark);
    if (first_part) {
        text.remove_suffix(first_part_mark.size());
    }
    const auto message = Uuid::parse(text);
    return message ? std::optional{Opaque{.message = *message, .first_part = first_part}}
                   : std::nullopt;
}

json::object text_body(const Envelope& envelope, std::string_view text) {
    const bool links = text.contains("http://") || text.contains("https://");
    return body_of(envelope, "text", {{"body", text}, {"preview_url", links}});
}

json::object media_body(const Envelope& envelope, const MediaKind& kind, std::string_view media_id,
                        std::string_view caption, std::string_view file_name) {
    json::object content{{"id", media_id}};
    if (!caption.empty()) {
        content["caption"] = caption;
    }
    if (!file_name.empty()) {
        content["filename"] = file_name;
    }
    return body_of(envelope, kind.kind, std::move(content));
}

json::object template_body(const Envelope& envelope, const TemplateUse& use) {
    const bool is_named = use.names.size() == use.values.size();
    json::array parameters;
    for (std::size_t place = 0; place < use.values.size(); ++place) {
        parameters.push_back(text_parameter(
            is_named ? std::string_view{use.names[place]} : std::string_view{}, use.values[place]));
    }
    json::array components;
    add_header(components, use);
    if (!parameters.empty()) {
        components.push_back(json::object{{"type", "body"}, {"parameters", std::move(parameters)}});
    }
    add_buttons(components, use);
    json::object content{{"name", use.name}, {"language", json::object{{"code", use.language}}}};
    if (!components.empty()) {
        content["components"] = std::move(components);
    }
    return body_of(envelope, "template", std::move(content));
}

TemplateUse use_of(const model::FilledTemplate& filled, const MessageTemplate* listed) {
    TemplateUse use{.name = filled.name,
                    .language = filled.language,
                    .values = filled.values,
                    .header = filled.header};
    if (listed != nullptr) {
        use.names = listed->variable_names;
        use.code_button = listed->code_button;
        use.header_name = listed->header_name;
    }
    for (std::size_t place = 0; place < filled.buttons.size(); ++place) {
        TemplateUse::Button button{.place = use.buttons.empty() ? 0 : use.buttons.back().place + 1,
                                   .text = filled.buttons[place]};
        if (listed != nullptr && place < listed->buttons.size()) {
            button.kind = listed->buttons[place].kind;
            button.place = listed->buttons[place].place;
        }
        use.buttons.push_back(button);
    }
    return use;
}

std::string filling_of(std::string_view text, const MessageTemplate& used) {
    auto filling = with_single_blanks(text);
    const auto [own, places] = own_characters(used.body);
    const auto left = own < MessageTemplate::characters_max
                          ? (MessageTemplate::characters_max - own) / places
                          : characters_of_long_template;
    filling = trim_blanks(first_characters(filling, std::max(left, characters_of_long_template)));
    return filling.empty() ? "-" : filling;
}

json::object typing_body(std::string_view inbound_id) {
    return {{"messaging_product", "whatsapp"},
            {"status", "read"},
            {"message_id", inbound_id},
            {"typing_indicator", json::object{{"type", "text"}}}};
}

bool fits_caption(const MediaKind& kind, std::string_view text) {
    return kind.takes_caption && utf8_characters(text) <= caption_characters_max;
}

std::string document_name(const MediaKind& kind, std::string_view url) {
    if (kind.kind != "document") {
        return {};
    }
    auto name = file_name_of(url);
    if (utf8_characters(name) > file_name_characters_max) {
        name.clear();
    }
    return name.empty() ? "dokumen." + std::string{kind.extension} : name;
}

}  // namespace merpati::connector::cloud
