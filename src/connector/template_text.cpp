#include "connector/template_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/utf8.hpp"

namespace merpati::connector {
namespace {

/// The value of the variable; empty: it has none.
std::optional<std::string_view> value_for(std::string_view variable,
                                          std::span<const std::string> names,
                                          std::span<const std::string> values) {
    std::size_t place = 0;
    if (names.empty()) {
        std::size_t number = 0;
        const auto [end, error] =
            std::from_chars(variable.data(), variable.data() + variable.size(), number);
        if (error != std::errc{} || end != variable.data() + variable.size() || number == 0) {
            return std::nullopt;
        }
        place = number - 1;
    } else {
        const auto found = std::ranges::find(names, variable);
        if (found == names.end()) {
            return std::nullopt;
        }
        place = static_cast<std::size_t>(found - names.begin());
    }
    return place < values.size() ? std::optional<std::string_view>{values[place]} : std::nullopt;
}

}  // namespace

std::string filled_text(std::string_view text, std::span<const std::string> names,
                        std::span<const std::string> values) {
    std::string filled;
    while (filled.size() <= filled_bytes_max) {
        const auto begin = text.find("{{");
        const auto end = begin == std::string_view::npos ? begin : text.find("}}", begin);
        if (end == std::string_view::npos) {
            filled += text;
            break;
        }
        const auto place = text.substr(begin, end + 2 - begin);
        filled += text.substr(0, begin);
        filled += value_for(place.substr(2, place.size() - 4), names, values).value_or(place);
        text.remove_prefix(end + 2);
    }
    filled.resize(utf8_prefix(filled, filled_bytes_max).size());
    return filled;
}

model::SentTemplate sent_template(const MessageTemplate& used,
                                  const model::FilledTemplate& filled) {
    const auto one = [](std::string_view text, const std::string& name, const std::string& value) {
        const std::vector<std::string> names(name.empty() ? 0 : 1, name);
        const std::vector<std::string> values(value.empty() ? 0 : 1, value);
        return filled_text(text, names, values);
    };
    model::SentTemplate sent{.name = used.name,
                             .language = used.language,
                             .header = one(used.header_text, used.header_name, filled.header),
                             .body = filled_text(used.body, used.variable_names, filled.values),
                             .footer = used.footer,
                             .buttons = {}};
    const auto count = std::min(used.buttons.size(), filled.buttons.size());
    for (std::size_t place = 0; place < count; ++place) {
        const auto& [kind, of_all, url] = used.buttons[place];
        const bool is_coupon = kind == MessageTemplate::Button::Kind::coupon;
        sent.buttons.push_back(one(is_coupon ? "{{1}}" : url, {}, filled.buttons[place]));
    }
    return sent;
}

}  // namespace merpati::connector
