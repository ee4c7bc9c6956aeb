// SHA-256 and HMAC-SHA256, over OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/encoding.hpp"

namespace merpati {

using Sha256 = std::array<std::byte, 32>;

[[nodiscard]] Sha256 sha256(std::span<const std::byte> bytes);
[[nodiscard]] inline Sha256 sha256(std::string_view text) {
    return sha256(as_bytes(text));
}

[[nodiscard]] Sha256 hmac_sha256(std::span<const std::byte> key, std::string_view text);

/// Compares in a time that depends only on the lengths, not on where the first difference is.
[[nodiscard]] bool equal_constant_time(std::span<const std::byte> left,
                                       std::span<const std::byte> right) noexcept;

/// SHA-256 of a stream, a piece at a time.
class Sha256Stream {
public:
    Sha256Stream();
    ~Sha256Stream();
    Sha256Stream(Sha256Stream&&) noexcept;
    Sha256Stream& operator=(Sha256Stream&&) noexcept;

    void add(std::span<const std::byte> bytes);

    /// The digest of all bytes added. Call it once, as the last call.
    [[nodiscard]] Sha256 finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace merpati
