#include "campaign/audience/column_names.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "campaign/audience/characters.hpp"
#include "campaign/audience/csv_reader.hpp"
#include "campaign/text/column_name.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t name_bytes_max = 64;

/// What people call a phone, or a number at which a phone is reached.
constexpr std::array<std::string_view, 19> phone_words{
    "cell",   "cellphone", "gsm",    "handphone", "hp",        "mobile",  "mobilephone",
    "msisdn", "phone",     "ponsel", "tel",       "telephone", "telepon", "telp",
    "telpon", "tlp",       "tlpn",   "wa",        "whatsapp",
};

/// Words for a number that may be one of a phone,
constexpr std::array<std::string_view, 6> plain_words{"destination", "nomer",     "nomor",
                                                      "number",      "recipient", "tujuan"};
/// and those that also stand for the number of a row, or for a person's name.
constexpr std::array<std::string_view, 4> weak_words{"contact", "kontak", "no", "num"};

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

/// Also if it is joined with a word for a number: "nohp", "phonenumber".
bool is_phone_word(std::string_view word) {
    if (is_one_of(phone_words, word)) {
        return true;
    }
    for (const auto words : {std::span<const std::string_view>{plain_words},
                             std::span<const std::string_view>{weak_words}}) {
        for (const auto other : words) {
            const bool is_joined =
                (word.starts_with(other) && is_one_of(phone_words, word.substr(other.size()))) ||
                (word.ends_with(other) &&
                 is_one_of(phone_words, word.substr(0, word.size() - other.size())));
            if (is_joined) {
                return true;
            }
        }
    }
    return false;
}

/// The words of a name in lower case: "No_HP" and "no. hp" are "no" and "hp", "PhoneNumber" is
/// "phone" and "number".
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    char before = ' ';
    for (const char c : name) {
        const bool is_word = is_letter(c) || is_digit(c);
        const bool begins =
            is_letter(before) && before == to_lower(before) && is_letter(c) && c != to_lower(c);
        if ((!is_word || begins) && !words.back().empty()) {
            words.emplace_back();
        }
        if (is_word) {
            words.back() += to_lower(c);
        }
        before = c;
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

}  // namespace

std::string column_name(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        const auto character = first_character(text);
        const auto bytes = std::min(character.bytes, text.size());
        const bool is_blank = is_control(character.number) || character.number == ' ' ||
                              character.number == 0xA0 || character.number == 0xFEFF ||
                              character.number == '{' || character.number == '}' ||
                              character.number == '|';
        if (!is_blank) {
            name += text.substr(0, bytes);
        } else if (!name.empty() && !name.ends_with(' ')) {
            name += ' ';
        }
        text.remove_prefix(bytes);
    }
    return std::string{without_blanks(utf8_prefix(name, name_bytes_max))};
}

void append_column(std::vector<std::string>& columns, std::string name) {
    std::string unique = name;
    for (int place = 2; find_column(columns, unique); ++place) {
        const auto suffix = fmt::format("_{}", place);
        unique = std::string{utf8_prefix(name, name_bytes_max - suffix.size())} + suffix;
    }
    columns.push_back(std::move(unique));
}

NumberName number_name(std::string_view name) {
    const auto words = words_of(name);
    const auto is_plain = [](const std::string& word) { return is_one_of(plain_words, word); };
    const auto is_weak = [](const std::string& word) { return is_one_of(weak_words, word); };
    const auto is_known = [&](const std::string& word) {
        return is_phone_word(word) || is_plain(word) || is_weak(word);
    };
    const bool is_all_known = !words.empty() && std::ranges::all_of(words, is_known);
    if (std::ranges::any_of(words, is_phone_word)) {
        return is_all_known ? NumberName::strong : NumberName::part;
    }
    if (!is_all_known) {
        return NumberName::none;
    }
    return std::ranges::any_of(words, is_plain) ? NumberName::plain : NumberName::weak;
}

}  // namespace merpati::campaign
