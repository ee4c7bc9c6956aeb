#include "api/manage/engine/cursor.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t check_bytes = 6;  // Eight characters in base64.
constexpr std::size_t cursor_bytes_max = 512;

std::string check_of(std::string_view list, std::string_view position) {
    std::string whole{list};
    whole += '\n';
    whole += position;
    const auto digest = sha256(whole);
    std::string check;
    for (const auto byte : std::span{digest}.first(check_bytes)) {
        check += static_cast<char>(byte);
    }
    return check;
}

/// RFC 4648 section 5 (base64url), without padding.
std::string to_url_text(std::string_view bytes) {
    auto text = to_base64(as_bytes(bytes));
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    text.erase(std::ranges::find(text, '='), text.end());
    return text;
}

std::optional<std::string> from_url_text(std::string_view text) {
    std::string standard{text};
    std::ranges::replace(standard, '-', '+');
    std::ranges::replace(standard, '_', '/');
    standard.append((4 - standard.size() % 4) % 4, '=');
    const auto bytes = from_base64(standard);
    if (!bytes) {
        return std::nullopt;
    }
    std::string decoded;
    for (const auto byte : *bytes) {
        decoded += static_cast<char>(byte);
    }
    return decoded;
}

}  // namespace

std::string cursor_text(std::string_view list, std::string_view position) {
    return to_url_text(check_of(list, position).append(position));
}

std::optional<std::string> cursor_position(std::string_view list, std::string_view text) {
    if (text.size() > cursor_bytes_max) {
        return std::nullopt;
    }
    const auto bytes = from_url_text(text);
    if (!bytes || bytes->size() <= check_bytes) {
        return std::nullopt;
    }
    auto position = bytes->substr(check_bytes);
    // Compares texts, because base64 allows several texts for the same bytes.
    return cursor_text(list, position) == text ? std::optional{std::move(position)} : std::nullopt;
}

}  // namespace merpati::api::manage
