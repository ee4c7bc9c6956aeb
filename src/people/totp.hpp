// Time-based one-time passwords (RFC 6238): six digits that change every 30 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/random.hpp"

namespace merpati::people {

/// 160 bits, as RFC 4226 recommends for SHA-1.
[[nodiscard]] Bytes make_totp_secret(Random& random);

/// RFC 4648 section 6, without padding: the form in which people type a secret.
[[nodiscard]] std::string to_base32(std::span<const std::byte> bytes);

/// What an authenticator reads as a QR code: otpauth://totp/…
[[nodiscard]] std::string totp_uri(std::string_view email, std::span<const std::byte> secret);

/// Steps are counted from 1970.
[[nodiscard]] std::int64_t totp_step(Timestamp time) noexcept;
[[nodiscard]] std::string totp_code(std::span<const std::byte> secret, std::int64_t step);

/// The step whose code it is: the current one, the one before or the one after, because clocks
/// differ. Empty: none. The caller must accept each step only once.
[[nodiscard]] std::optional<std::int64_t> match_totp(std::span<const std::byte> secret,
                                                     std::string_view code, Timestamp now);

}  // namespace merpati::people
