#include "base/single_blanks.hpp"

#include "base/utf8.hpp"

namespace merpati {
namespace {

/// The bytes of the character that the text begins with.
std::size_t first_character(std::string_view text) {
    std::size_t bytes = 1;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
        ++bytes;
    }
    return bytes;
}

}  // namespace

std::string with_single_blanks(std::string_view text) {
    std::string single;
    text = trim_blanks(text);
    while (!text.empty()) {
        const auto word = trim_blanks(text);
        if (word.size() < text.size()) {
            single += ' ';
            text = word;
        }
        const auto bytes = first_character(text);
        single += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return single;
}

}  // namespace merpati
