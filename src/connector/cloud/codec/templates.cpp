#include "connector/cloud/codec/templates.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

constexpr std::size_t page_size = 100;
constexpr std::size_t word_bytes_max = 64;
constexpr std::size_t name_bytes_max = 512;
constexpr std::size_t variables_max = 100;

std::string encoded(std::string_view text) {
    return boost::urls::encode(text, boost::urls::unreserved_chars);
}

/// The variables of the text, each once: "1" of {{1}}, "name" of {{name}}.
std::vector<std::string> variables_of(std::string_view text) {
    std::vector<std::string> names;
    while (names.size() < variables_max) {
        const auto begin = text.find("{{");
        const auto end = begin == std::string_view::npos ? begin : text.find("}}", begin);
        if (end == std::string_view::npos) {
            break;
        }
        std::string name{text.substr(begin + 2, end - begin - 2)};
        if (!name.empty() && std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
        text.remove_prefix(end + 2);
    }
    return names;
}

bool has_variables(const json::object& component, std::string_view field) {
    return find_text(component, field, template_text_bytes_max).contains("{{");
}

bool is_number(const std::string& name) {
    return std::ranges::all_of(name, is_digit);
}

void read_header_text(const json::object& component, MessageTemplate& read) {
    read.header_text = find_text(component, "text", template_text_bytes_max);
    const auto names = variables_of(read.header_text);
    if (!names.empty()) {
        read.header_need = MessageTemplate::HeaderNeed::text;
        read.header_name = is_number(names.front()) ? std::string{} : names.front();
        read.is_understood = read.is_understood && names.size() == 1;
    }
}

/// A place, a product or a moving picture as header is not understood.
void read_header(const json::object& component, MessageTemplate& read) {
    using enum MessageTemplate::HeaderNeed;
    const auto format = find_text(component, "format", word_bytes_max);
    if (format == "TEXT") {
        read_header_text(component, read);
    } else if (format == "IMAGE") {
        read.header_need = image;
    } else if (format == "VIDEO") {
        read.header_need = video;
    } else if (format == "DOCUMENT") {
        read.header_need = document;
    } else {
        read.is_understood = false;
    }
}

/// Whether the button needs nothing in each message.
bool is_plain(const json::object& button) {
    const auto kind = find_text(button, "type", word_bytes_max);
    return (kind == "QUICK_REPLY" || kind == "PHONE_NUMBER" || kind == "URL") &&
           !has_variables(button, "url");
}

/// The platform lists the button of a one-time code as one with a variable URL, which templates of
/// this category have for nothing else.
bool carries_code(const json::object& button, const MessageTemplate& of) {
    const auto kind = find_text(button, "type", word_bytes_max);
    return of.category == "AUTHENTICATION" && (kind == "OTP" || kind == "URL");
}

void read_buttons(const json::object& component, MessageTemplate& read) {
    const auto* buttons = find_array(component, "buttons");
    if (buttons == nullptr) {
        return;
    }
    for (std::uint32_t place = 0; place < buttons->size(); ++place) {
        const auto* button = (*buttons)[place].if_object();
        if (button != nullptr && is_plain(*button)) {
            continue;
        }
        const auto kind =
            button == nullptr ? std::string{} : find_text(*button, "type", word_bytes_max);
        if (button != nullptr && !read.code_button && carries_code(*button, read)) {
            read.code_button = place;
        } else if (kind == "URL") {
            read.buttons.push_back({.kind = MessageTemplate::Button::Kind::url,
                                    .place = place,
                                    .url = find_text(*button, "url", template_text_bytes_max)});
        } else if (kind == "COPY_CODE") {
            read.buttons.push_back({.kind = MessageTemplate::Button::Kind::coupon, .place = place});
        } else {
            read.is_understood = false;
        }
    }
}

void read_body(const json::object& component, MessageTemplate& read) {
    read.body = find_text(component, "text", template_text_bytes_max);
    auto names = variables_of(read.body);
    read.variables = static_cast<std::uint32_t>(names.size());
    if (!std::ranges::all_of(names, is_number)) {
        read.variable_names = std::move(names);
    }
}

void read_components(const json::object& item, MessageTemplate& read) {
    const auto* components = find_array(item, "components");
    read.is_understood = components != nullptr;
    if (components == nullptr) {
        return;
    }
    for (const auto& value : *components) {
        const auto* component = value.if_object();
        if (component == nullptr) {
            continue;
        }
        const auto type = find_text(*component, "type", word_bytes_max);
        if (type == "BODY") {
            read_body(*component, read);
        } else if (type == "BUTTONS") {
            read_buttons(*component, read);
        } else if (type == "HEADER") {
            read_header(*component, read);
        } else if (type == "FOOTER") {
            read.footer = find_text(*component, "text", template_text_bytes_max);
        } else {
            read.is_understood = false;
        }
    }
    if (read.code_button && read.variables != 1) {
        read.is_understood = false;
    }
}

}  // namespace

TemplatePage read_templates(const json::object& answer) {
    TemplatePage page;
    if (const auto* data = find_array(answer, "data"); data != nullptr) {
        for (const auto& value : *data) {
            const auto* item = value.if_object();
            if (item == nullptr || page.items.size() == templates_max) {
                continue;
            }
            MessageTemplate read;
            read.name = printable(find_text(*item, "name", name_bytes_max));
            read.language = printable(find_text(*item, "language", word_bytes_max));
            read.category = printable(find_text(*item, "category", word_bytes_max));
            read.status = printable(find_text(*item, "status", word_bytes_max));
            read_components(*item, read);
            if (!read.name.empty() && !read.language.empty()) {
                page.items.push_back(std::move(read));
            }
        }
    }
    const auto* paging = find_object(answer, "paging");
    const auto* cursors = paging == nullptr ? nullptr : find_object(*paging, "cursors");
    if (cursors != nullptr && paging->contains("next")) {
        page.next = find_text(*cursors, "after", Connector::cursor_bytes_max);
    }
    return page;
}

std::string templates_path(std::string_view waba_id, std::string_view name,
                           std::string_view cursor) {
    auto path =
        fmt::format("{}/message_templates?fields=name,language,category,status,components&limit={}",
                    waba_id, page_size);
    if (!name.empty()) {
        path += "&name=" + encoded(name);
    }
    if (!cursor.empty()) {
        path += "&after=" + encoded(cursor);
    }
    return path;
}

}  // namespace merpati::connector::cloud
