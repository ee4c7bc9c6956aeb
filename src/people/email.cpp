#include "people/email.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::people {
namespace {

constexpr std::size_t local_bytes_max = 64;
constexpr std::size_t label_bytes_max = 63;
constexpr std::string_view atom_marks = ".!#$%&'*+/=?^_`{|}~-";

bool is_letter_or_digit(char c) {
    return is_letter(c) || is_digit(c);
}

bool is_label(std::string_view text) {
    return !text.empty() && text.size() <= label_bytes_max && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

bool is_domain(std::string_view text) {
    while (true) {
        const auto dot = text.find('.');
        if (!is_label(text.substr(0, dot))) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(dot + 1);
    }
}

bool is_local_part(std::string_view text) {
    return !text.empty() && text.size() <= local_bytes_max && std::ranges::all_of(text, [](char c) {
        return is_letter_or_digit(c) || atom_marks.contains(c);
    });
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    const auto first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

}  // namespace

std::optional<std::string> normalised_email(std::string_view text) {
    text = trimmed(text);
    const auto at = text.find('@');
    if (text.size() > email_bytes_max || at == std::string_view::npos ||
        !is_local_part(text.substr(0, at)) || !is_domain(text.substr(at + 1))) {
        return std::nullopt;
    }
    return lower_case(text);
}

}  // namespace merpati::people
