#include "store/postgres/stored_text.hpp"

namespace merpati::store::postgres {
namespace {

constexpr std::string_view escape = "\xEF\xB7\x90";  // U+FDD0.

}  // namespace

bool must_encode(std::string_view text) noexcept {
    return text.contains('\0') || text.contains(escape);
}

bool is_encoded(std::string_view stored) noexcept {
    return stored.contains(escape);
}

std::string encoded(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        if (text.front() == '\0') {
            (result += escape) += '0';
            text.remove_prefix(1);
        } else if (text.starts_with(escape)) {
            (result += escape) += '1';
            text.remove_prefix(escape.size());
        } else {
            result += text.front();
            text.remove_prefix(1);
        }
    }
    return result;
}

std::string decoded(std::string_view stored) {
    std::string result;
    while (!stored.empty()) {
        const auto plain = stored.substr(0, stored.find(escape));
        result += plain;
        stored.remove_prefix(plain.size());
        if (stored.empty()) {
            break;
        }
        stored.remove_prefix(escape.size());
        if (stored.starts_with('0')) {
            result += '\0';
        } else {
            result += escape;
        }
        stored.remove_prefix(stored.empty() ? 0 : 1);
    }
    return result;
}

}  // namespace merpati::store::postgres
