#include "people/totp.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/ascii.hpp"
#include "base/assert.hpp"
#include "base/digest.hpp"

namespace merpati::people {
namespace {

constexpr std::size_t secret_bytes = 20;
constexpr std::int64_t step_millis = 30'000;
constexpr std::uint32_t code_limit = 1'000'000;
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

std::array<unsigned char, 20> hmac_sha1(std::span<const std::byte> key,
                                        std::span<const unsigned char> text) {
    std::array<unsigned char, 20> digest{};
    unsigned int size = digest.size();
    const auto* done = HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), text.data(),
                            text.size(), digest.data(), &size);
    invariant(done != nullptr && size == digest.size(), "HMAC-SHA1 is there");
    return digest;
}

}  // namespace

Bytes make_totp_secret(Random& random) {
    Bytes secret(secret_bytes);
    random.fill(secret);
    return secret;
}

std::string to_base32(std::span<const std::byte> bytes) {
    std::string text;
    std::uint32_t held = 0;
    int bits = 0;
    for (const auto byte : bytes) {
        held = (held << 8U) | std::to_integer<std::uint32_t>(byte);
        for (bits += 8; bits >= 5; bits -= 5) {
            text += alphabet[(held >> static_cast<unsigned>(bits - 5)) & 31U];
        }
    }
    if (bits > 0) {
        text += alphabet[(held << static_cast<unsigned>(5 - bits)) & 31U];
    }
    return text;
}

std::string totp_uri(std::string_view email, std::span<const std::byte> secret) {
    std::string label;
    for (const char c : email) {
        if (is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_' || c == '@') {
            label += c;
        } else {
            label += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return fmt::format("otpauth://totp/Merpati:{}?secret={}&issuer=Merpati", label,
                       to_base32(secret));
}

std::int64_t totp_step(Timestamp time) noexcept {
    return to_unix_millis(time) / step_millis;
}

std::string totp_code(std::span<const std::byte> secret, std::int64_t step) {
    std::array<unsigned char, 8> counter{};
    for (std::size_t place = 0; place < counter.size(); ++place) {
        counter[place] = static_cast<unsigned char>(step >> (56 - 8 * place));
    }
    const auto digest = hmac_sha1(secret, counter);
    // RFC 4226 section 5.3, dynamic truncation.
    const std::size_t offset = digest.back() & 0x0fU;
    std::uint32_t number = digest[offset] & 0x7fU;
    for (std::size_t place = offset + 1; place < offset + 4; ++place) {
        number = number << 8U | digest[place];
    }
    return fmt::format("{:06}", number % code_limit);
}

std::optional<std::int64_t> match_totp(std::span<const std::byte> secret, std::string_view code,
                                       Timestamp now) {
    std::optional<std::int64_t> matched;
    const auto current = totp_step(now);
    for (const auto step : {current - 1, current, current + 1}) {
        if (equal_constant_time(as_bytes(totp_code(secret, step)), as_bytes(code))) {
            matched = step;
        }
    }
    return matched;
}

}  // namespace merpati::people
