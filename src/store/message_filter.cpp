#include "store/message_filter.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace merpati::store {
namespace {

bool is_of_word(char c) {
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Removes the next word from the text and returns it; empty: there is none.
std::string_view take_word(std::string_view& text) {
    const auto* begin = std::ranges::find_if(text, is_of_word);
    const auto* end = std::find_if_not(begin, text.end(), is_of_word);
    const std::string_view word{begin, end};
    text = {end, text.end()};
    return word;
}

bool has_word(std::string_view text, std::string_view word) {
    for (auto found = take_word(text); !found.empty(); found = take_word(text)) {
        if (std::ranges::equal(found, word, {}, to_lower)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
        words.push_back(lower_case(word));
    }
    std::ranges::sort(words);
    words.erase(std::ranges::unique(words).begin(), words.end());
    return words;
}

bool has_words(std::string_view text, const std::vector<std::string>& words) {
    return std::ranges::all_of(words,
                               [text](const std::string& word) { return has_word(text, word); });
}

}  // namespace merpati::store
