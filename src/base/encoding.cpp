#include "base/encoding.hpp"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "base/ascii.hpp"
#include "base/assert.hpp"

namespace merpati {

std::string to_hex(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const auto byte : bytes) {
        text += hex_digits[std::to_integer<std::size_t>(byte >> 4)];
        text += hex_digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return text;
}

std::string to_base64(std::span<const std::byte> bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

Result<Bytes> from_base64(std::string_view text) {
    const auto pad = static_cast<std::size_t>(text.ends_with("==")  ? 2
                                              : text.ends_with('=') ? 1
                                                                    : 0);
    const auto is_digit = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '/';
    };
    const auto digits = text.substr(0, text.size() - pad);
    if (text.size() % 4 != 0 || !std::ranges::all_of(digits, is_digit)) {
        return fail(ErrorCode::invalid_argument, "not base64");
    }
    Bytes bytes(text.size() / 4 * 3);
    const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                       reinterpret_cast<const unsigned char*>(text.data()),
                                       static_cast<int>(text.size()));
    if (length < 0) {
        return fail(ErrorCode::invalid_argument, "not base64");
    }
    bytes.resize(bytes.size() - pad);
    if (pad > 0 && to_base64(bytes) != text) {  // Unused bits are set.
        return fail(ErrorCode::invalid_argument, "not base64");
    }
    return bytes;
}

std::string to_base64url(std::span<const std::byte> bytes) {
    auto text = to_base64(bytes);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    text.erase(std::ranges::find(text, '='), text.end());
    return text;
}

Result<Bytes> from_base64url(std::string_view text) {
    if (text.find_first_of("+/=") != std::string_view::npos) {
        return fail(ErrorCode::invalid_argument, "not base64url");
    }
    std::string standard{text};
    std::ranges::replace(standard, '-', '+');
    std::ranges::replace(standard, '_', '/');
    standard.append((4 - standard.size() % 4) % 4, '=');
    return from_base64(standard);
}

std::string to_base62(std::span<const std::byte> bytes, std::size_t width) {
    static constexpr std::string_view digits =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::vector<unsigned> number;
    for (const auto byte : bytes) {
        number.push_back(std::to_integer<unsigned>(byte));
    }
    std::string text(width, '0');
    for (std::size_t place = width; place-- > 0;) {
        unsigned remainder = 0;
        for (auto& digit : number) {
            const unsigned value = remainder * 256 + digit;
            digit = value / 62;
            remainder = value % 62;
        }
        text[place] = digits[remainder];
    }
    invariant(std::ranges::all_of(number, [](unsigned digit) { return digit == 0; }),
              "base62 width holds the number");
    return text;
}

std::uint32_t crc32(std::string_view text) noexcept {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> rows{};
        for (std::uint32_t index = 0; index < 256; ++index) {
            std::uint32_t row = index;
            for (int bit = 0; bit < 8; ++bit) {
                row = (row >> 1) ^ ((row & 1U) != 0 ? 0xEDB88320U : 0U);
            }
            rows[index] = row;
        }
        return rows;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char c : text) {
        crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    }
    return ~crc;
}

}  // namespace merpati
