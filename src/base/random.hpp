// Randomness, injected: only base/random.cpp asks the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace merpati {

/// A source of random bytes. Every implementation may be called from any thread.
class Random {
public:
    virtual ~Random() = default;

    virtual void fill(std::span<std::byte> bytes) = 0;

    [[nodiscard]] std::uint64_t next();

    /// Uniform in [lowest, highest], both included; `lowest <= highest`.
    [[nodiscard]] std::uint64_t between(std::uint64_t lowest, std::uint64_t highest);
};

/// OpenSSL's cryptographic generator, buffered per thread.
class SystemRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override;
};

}  // namespace merpati
