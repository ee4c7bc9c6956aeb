#include "web/accepts.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::web {
namespace {

std::string_view trimmed(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Removes and returns the part of the text before `separator`.
std::string_view take(std::string_view& text, char separator) noexcept {
    const auto end = std::min(text.find(separator), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(part);
}

/// "q=0", "q=0.0", …
bool is_zero_weight(std::string_view parameter) noexcept {
    return (parameter.starts_with("q=0") || parameter.starts_with("Q=0")) &&
           parameter.find_first_not_of("0.", 2) == std::string_view::npos;
}

}  // namespace

bool accepts(std::string_view list, std::string_view word) noexcept {
    while (!list.empty()) {
        auto entry = take(list, ',');
        if (!equals_ignoring_case(take(entry, ';'), word)) {
            continue;
        }
        while (!entry.empty()) {
            if (is_zero_weight(take(entry, ';'))) {
                return false;
            }
        }
        return true;
    }
    return false;
}

bool names_tag(std::string_view list, std::string_view etag) noexcept {
    while (!list.empty()) {
        auto entry = take(list, ',');
        if (entry == "*") {
            return true;
        }
        if (entry.starts_with("W/")) {
            entry.remove_prefix(2);
        }
        if (entry == etag) {
            return true;
        }
    }
    return false;
}

}  // namespace merpati::web
