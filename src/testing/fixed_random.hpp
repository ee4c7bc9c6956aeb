// Repeatable randomness.
#pragma once

#include <cstring>
#include <mutex>
#include <random>

#include "base/random.hpp"

namespace merpati::testing {

/// The same draws for the same seed.
class FixedRandom final : public Random {
public:
    explicit FixedRandom(std::uint64_t seed = 7) : engine_(seed) {}

    void fill(std::span<std::byte> bytes) override {
        const std::lock_guard lock{mutex_};
        while (!bytes.empty()) {
            const std::uint64_t draw = engine_();
            const std::size_t size = std::min(bytes.size(), sizeof draw);
            std::memcpy(bytes.data(), &draw, size);
            bytes = bytes.subspan(size);
        }
    }

private:
    std::mutex mutex_;
    std::mt19937_64 engine_;
};

}  // namespace merpati::testing
