// Text forms of bytes: hex, base64 (RFC 4648), base62 for keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace merpati {

using Bytes = std::vector<std::byte>;

[[nodiscard]] inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
    return std::as_bytes(std::span{text.data(), text.size()});
}

[[nodiscard]] std::string to_hex(std::span<const std::byte> bytes);

/// Standard alphabet (section 4), padded.
[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);

/// Errors: invalid_argument (anything but whole, padded, standard base64).
[[nodiscard]] Result<Bytes> from_base64(std::string_view text);

/// RFC 4648 section 5, without padding.
[[nodiscard]] std::string to_base64url(std::span<const std::byte> bytes);

/// Errors: invalid_argument (anything that `to_base64url` does not make).
[[nodiscard]] Result<Bytes> from_base64url(std::string_view text);

/// Big-endian number in digits 0-9A-Za-z, left-padded with 0 to `width` characters. 32 bytes need
/// 43 characters, 4 bytes need 6.
[[nodiscard]] std::string to_base62(std::span<const std::byte> bytes, std::size_t width);

/// CRC-32 (IEEE 802.3) of `text`.
[[nodiscard]] std::uint32_t crc32(std::string_view text) noexcept;

}  // namespace merpati
