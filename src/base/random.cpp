// The only place that asks the machine for randomness.
#include "base/random.hpp"

#include <array>
#include <cstring>

#include <openssl/rand.h>

#include "base/assert.hpp"

namespace merpati {

std::uint64_t Random::next() {
    std::uint64_t value = 0;
    fill(std::as_writable_bytes(std::span{&value, 1}));
    return value;
}

std::uint64_t Random::between(std::uint64_t lowest, std::uint64_t highest) {
    invariant(lowest <= highest, "random range is not empty");
    const std::uint64_t width = highest - lowest + 1;
    if (width == 0) {
        return next();
    }
    // Values below `remainder` would make small results more likely: draw again.
    const std::uint64_t remainder = (0 - width) % width;
    std::uint64_t value = next();
    while (value < remainder) {
        value = next();
    }
    return lowest + value % width;
}

void SystemRandom::fill(std::span<std::byte> bytes) {
    // A request needs a few bytes at a time; one call of the generator serves many of them.
    static constexpr std::size_t pool_size = 4'096;
    thread_local std::array<unsigned char, pool_size> pool;
    thread_local std::size_t used = pool_size;
    if (bytes.size() > pool_size) {
        const int ok = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                                  static_cast<int>(bytes.size()));
        invariant(ok == 1, "the system's random generator works");
        return;
    }
    if (pool_size - used < bytes.size()) {
        invariant(RAND_bytes(pool.data(), pool_size) == 1, "the system's random generator works");
        used = 0;
    }
    std::memcpy(bytes.data(), pool.data() + used, bytes.size());
    std::memset(pool.data() + used, 0, bytes.size());
    used += bytes.size();
}

}  // namespace merpati
