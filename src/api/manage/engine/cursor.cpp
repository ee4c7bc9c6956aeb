#include "api/manage/engine/cursor.hpp"

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

}  // namespace

std::string cursor_text(std::string_view list, std::string_view position) {
    return to_base64url(as_bytes(check_of(list, position).append(position)));
}

std::optional<std::string> cursor_position(std::string_view list, std::string_view text) {
    if (text.size() > cursor_bytes_max) {
        return std::nullopt;
    }
    const auto bytes = from_base64url(text);
    if (!bytes || bytes->size() <= check_bytes) {
        return std::nullopt;
    }
    std::string position;
    for (const auto byte : std::span{*bytes}.subspan(check_bytes)) {
        position += static_cast<char>(byte);
    }
    return cursor_text(list, position) == text ? std::optional{std::move(position)} : std::nullopt;
}

}  // namespace merpati::api::manage
