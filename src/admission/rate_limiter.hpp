// The rate limits of accounts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "model/account.hpp"

namespace merpati::admission {

/// The result for one request, as its RateLimit headers show it.
struct RateVerdict {
    bool allowed = true;
    std::uint32_t remaining = 0;               // Requests that would be allowed now.
    std::chrono::milliseconds reset{0};        // Until the bucket is full again.
    std::chrono::milliseconds retry_after{0};  // Until the next one is allowed; 0 if this one is.
};

/// A token bucket in one atomic number (GCRA): holds `rate.count` requests, refills evenly over
/// `rate.period`.
///
/// Threads: any, without a lock.
///
/// Limits: `rate` as model::RateChoice::parse reads it; asserts a count from 1 to 1e9 per second.
class RateBucket {
public:
    /// Takes `count` requests, all or none; `count` is at most that of the rate.
    [[nodiscard]] RateVerdict take(const model::Rate& rate, SteadyTime now,
                                   std::uint32_t count = 1) noexcept;

private:
    std::atomic<std::int64_t> full_at_{
        0};  // When the bucket will be full, in ns of the steady clock.
};

}  // namespace merpati::admission
