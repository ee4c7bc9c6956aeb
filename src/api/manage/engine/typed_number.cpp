#include "api/manage/engine/typed_number.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::string_view separators = " -.()/";

/// The digits; empty: there are other characters.
std::optional<std::string> digits_of(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (is_digit(c)) {
            digits += c;
        } else if (!separators.contains(c)) {
            return std::nullopt;
        }
    }
    return digits.empty() ? std::nullopt : std::optional{std::move(digits)};
}

}  // namespace

std::optional<std::string> international(std::string_view typed, std::string_view country) {
    typed.remove_prefix(std::min(typed.find_first_not_of(separators), typed.size()));
    const bool has_plus = typed.starts_with('+');
    typed.remove_prefix(has_plus ? 1 : 0);
    auto digits = digits_of(typed);
    if (!digits) {
        return std::nullopt;
    }
    if (!has_plus && digits->starts_with("00")) {
        digits->erase(0, 2);
    } else if (!has_plus && digits->starts_with('0')) {
        digits->replace(0, 1, country);
    }
    if (digits->starts_with("620")) {  // "+62 (0)812": no number there begins with 0.
        digits->erase(home_country.size(), 1);
    }
    return digits->empty() ? std::nullopt : std::move(digits);
}

std::optional<model::PhoneNumber> parse_typed(std::string_view typed) {
    const auto digits = international(typed);
    return digits ? model::PhoneNumber::parse(*digits) : std::nullopt;
}

bool may_be_an_end(std::string_view typed) {
    const auto digits = digits_of(typed);
    return digits && !digits->starts_with('0');
}

}  // namespace merpati::api::manage
