#include "base/json_text.hpp"

#include "base/ascii.hpp"

namespace merpati {
namespace {

bool must_be_escaped(char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == '"' || character == '\\';
}

void append_escaped(std::string& out, char character) {
    if (character == '"' || character == '\\') {
        out += '\\';
        out += character;
        return;
    }
    const auto byte = static_cast<unsigned char>(character);
    out += "\\u00";
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const auto escaped = std::ranges::find_if(text, must_be_escaped);
        out.append(text.begin(), escaped);
        text = {escaped, text.end()};
        if (!text.empty()) {
            append_escaped(out, text.front());
            text.remove_prefix(1);
        }
    }
    out += '"';
}

}  // namespace merpati
