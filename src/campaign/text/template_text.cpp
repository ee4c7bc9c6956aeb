#include "campaign/text/template_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace merpati::campaign {
namespace {

/// The value of the variable; empty: it has none.
std::optional<std::string_view> value_of(const connector::MessageTemplate& used,
                                         std::string_view variable,
                                         std::span<const std::string> values) {
    std::size_t place = 0;
    if (used.variable_names.empty()) {
        std::size_t number = 0;
        const auto [end, error] =
            std::from_chars(variable.data(), variable.data() + variable.size(), number);
        if (error != std::errc{} || end != variable.data() + variable.size() || number == 0) {
            return std::nullopt;
        }
        place = number - 1;
    } else {
        const auto found = std::ranges::find(used.variable_names, variable);
        if (found == used.variable_names.end()) {
            return std::nullopt;
        }
        place = static_cast<std::size_t>(found - used.variable_names.begin());
    }
    return place < values.size() ? std::optional<std::string_view>{values[place]} : std::nullopt;
}

}  // namespace

std::string filled_text(const connector::MessageTemplate& used,
                        std::span<const std::string> values) {
    std::string filled;
    std::string_view rest = used.body;
    for (;;) {
        const auto begin = rest.find("{{");
        const auto end = begin == std::string_view::npos ? begin : rest.find("}}", begin);
        if (end == std::string_view::npos) {
            return filled.append(rest);
        }
        const auto place = rest.substr(begin, end + 2 - begin);
        filled += rest.substr(0, begin);
        filled += value_of(used, place.substr(2, place.size() - 4), values).value_or(place);
        rest.remove_prefix(end + 2);
    }
}

}  // namespace merpati::campaign
