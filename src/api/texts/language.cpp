#include "api/texts/language.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::api {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// The weight of "id;q=0.8" in thousandths; 0 also if it is malformed.
int weight_of(std::string_view parameters) {
    parameters = trimmed(parameters);
    if (parameters.empty()) {
        return 1'000;
    }
    if (parameters.size() < 3 || (parameters[0] != 'q' && parameters[0] != 'Q') ||
        parameters[1] != '=') {
        return 0;
    }
    parameters.remove_prefix(2);
    if (parameters.front() == '1') {
        return 1'000;
    }
    int weight = 0;
    int digit = 100;
    for (const char c : parameters.substr(std::min<std::size_t>(parameters.size(), 2), 3)) {
        if (c < '0' || c > '9') {
            return 0;
        }
        weight += (c - '0') * digit;
        digit /= 10;
    }
    return weight;
}

/// Whether the range ("id", "id-ID", "in") names Indonesian, or English.
bool names(std::string_view range, std::string_view tag) {
    return lower_case(range.substr(0, range.find('-'))) == tag;
}

}  // namespace

std::string_view to_string(Language language) noexcept {
    return language == Language::indonesian ? "id" : "en";
}

Language language_of(std::string_view accept_language) noexcept {
    constexpr std::size_t read_max = 1'000;
    auto rest = accept_language.substr(0, read_max);
    int english = 0;
    int indonesian = 0;
    while (!rest.empty()) {
        const auto part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const auto end = std::min(part.find(';'), part.size());
        const auto range = trimmed(part.substr(0, end));
        const auto weight = weight_of(part.substr(std::min(end + 1, part.size())));
        if (names(range, "id") || names(range, "in")) {  // "in": as old programs write it.
            indonesian = std::max(indonesian, weight);
        } else if (names(range, "en") || range == "*") {
            english = std::max(english, weight);
        }
    }
    return indonesian > english ? Language::indonesian : Language::english;
}

}  // namespace merpati::api
