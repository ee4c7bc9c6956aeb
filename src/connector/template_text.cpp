#include "connector/template_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/utf8.hpp"

namespace merpati::connector {
namespace {

/// The value of the variable; empty: it has none.
std::optional<std::string_view> value_of(std::string_view variable,
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
        filled += value_of(place.substr(2, place.size() - 4), names, values).value_or(place);
        text.remove_prefix(end + 2);
    }
    filled.resize(utf8_prefix(filled, filled_bytes_max).size());
    return filled;
}

model::SentTemplate sent_template(const MessageTemplate& used,
                                  std::span<const std::string> values) {
    return {.name = used.name,
            .language = used.language,
            .header = used.header_text,
            .body = filled_text(used.body, used.variable_names, values),
            .footer = used.footer,
            .buttons = {}};
}

}  // namespace merpati::connector
