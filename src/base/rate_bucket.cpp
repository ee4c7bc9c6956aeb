#include "base/rate_bucket.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace merpati {

RateVerdict RateBucket::take(std::uint32_t size, std::chrono::seconds period, SteadyTime now,
                             std::uint32_t count) noexcept {
    using std::chrono::ceil;
    using std::chrono::milliseconds;
    using std::chrono::nanoseconds;
    const std::int64_t refill = nanoseconds{period}.count();
    invariant(size > 0 && size <= refill, "a rate allows 1 to 1e9 requests a second");
    invariant(count > 0 && count <= size, "the bucket can hold what is taken");
    const std::int64_t step = refill / size;  // One request's share of the bucket.
    const std::int64_t time = nanoseconds{now.time_since_epoch()}.count();
    std::int64_t full_at = full_at_.load(std::memory_order_relaxed);
    for (;;) {
        const std::int64_t after = std::max(full_at, time) + step * count;
        const std::int64_t missing = after - time;  // How much of the bucket would be in use.
        if (missing > refill) {
            return {.allowed = false,
                    .remaining = 0,
                    .reset = ceil<milliseconds>(nanoseconds{full_at - time}),
                    .retry_after = ceil<milliseconds>(nanoseconds{missing - refill})};
        }
        if (full_at_.compare_exchange_weak(full_at, after, std::memory_order_relaxed)) {
            return {.allowed = true,
                    .remaining = static_cast<std::uint32_t>((refill - missing) / step),
                    .reset = ceil<milliseconds>(nanoseconds{missing}),
                    .retry_after = milliseconds{0}};
        }
    }
}

}  // namespace merpati
