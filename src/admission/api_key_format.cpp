#include "admission/api_key_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/encoding.hpp"

namespace merpati::admission {
namespace {

constexpr std::string_view prefix = "mpt_";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t secret_digits = 43;
constexpr std::size_t checksum_digits = 6;
static_assert(prefix.size() + secret_digits + checksum_digits == api_key_size);

std::string checksum_of(std::string_view text) {
    const std::uint32_t crc = crc32(text);
    const std::array bytes{std::byte(crc >> 24), std::byte(crc >> 16 & 0xff),
                           std::byte(crc >> 8 & 0xff), std::byte(crc & 0xff)};
    return to_base62(bytes, checksum_digits);
}

bool is_base62(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string make_api_key(Random& random) {
    std::array<std::byte, secret_bytes> secret{};
    random.fill(secret);
    auto key = std::string{prefix} + to_base62(secret, secret_digits);
    return key + checksum_of(key);
}

bool is_api_key_well_formed(std::string_view text) noexcept {
    if (text.size() != api_key_size || !text.starts_with(prefix) ||
        !std::ranges::all_of(text.substr(prefix.size()), is_base62)) {
        return false;
    }
    const auto checked = text.size() - checksum_digits;
    return text.substr(checked) == checksum_of(text.substr(0, checked));
}

}  // namespace merpati::admission
