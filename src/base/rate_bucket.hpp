// Limits how often something is done.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace merpati {

/// The result for one request, as its RateLimit headers show it.
struct RateVerdict {
    bool allowed = true;
    std::uint32_t remaining = 0;               // Requests that would be allowed now.
    std::chrono::milliseconds reset{0};        // Until the bucket is full again.
    std::chrono::milliseconds retry_after{0};  // Until the next one is allowed; 0 if this one is.
};

/// A token bucket in one atomic number (GCRA): holds `size` requests, refills evenly over `period`.
///
/// Threads: any, without a lock.
///
/// Limits: asserts 1 to 1e9 requests a second.
class RateBucket {
public:
    /// Takes `count` requests, all or none; `count` is at most `size`.
    [[nodiscard]] RateVerdict take(std::uint32_t size, std::chrono::seconds period, SteadyTime now,
                                   std::uint32_t count = 1) noexcept;

private:
    std::atomic<std::int64_t> full_at_{
        0};  // When the bucket will be full, in ns of the steady clock.
};

}  // namespace merpati
