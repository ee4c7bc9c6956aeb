// Cuts a stream of bytes into pieces, as a socket would deliver it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace merpati::fuzz {

/// Sizes of successive pieces; the same seed gives the same sizes.
class Pieces {
public:
    [[nodiscard]] static Pieces whole() { return Pieces{0}; }
    [[nodiscard]] static Pieces bytes() { return Pieces{1}; }
    [[nodiscard]] static Pieces random(std::uint8_t seed) { return Pieces{2U + seed * 7919U}; }

    [[nodiscard]] std::size_t next() {
        if (state_ == 0) {
            return std::size_t{1} << 20U;
        }
        if (state_ == 1) {
            return 1;
        }
        state_ = state_ * 1'664'525U + 1'013'904'223U;  // Numerical Recipes' generator.
        if (state_ < 2) {
            state_ = 2;
        }
        const auto draw = (state_ >> 16U) % 16;
        return draw < 8 ? draw + 1 : (draw - 7) * 37;  // Small pieces and larger ones.
    }

private:
    explicit Pieces(std::uint32_t state) : state_(state) {}
    std::uint32_t state_;
};

}  // namespace merpati::fuzz
