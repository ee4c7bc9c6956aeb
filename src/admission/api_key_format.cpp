#include "admission/api_key_format.hpp"

#include <array>
#include <cstdint>
#include <string_view>

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

}  // namespace

std::string make_api_key(Random& random) {
    std::array<std::byte, secret_bytes> secret{};
    random.fill(secret);
    auto key = std::string{prefix} + to_base62(secret, secret_digits);
    return key + checksum_of(key);
}

}  // namespace merpati::admission
