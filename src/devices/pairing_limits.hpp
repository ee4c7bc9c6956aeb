// Limits how often devices are paired.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/device.hpp"

namespace merpati::devices {

/// Each attempt to pair connects to the platform from the server's address, and may make the phone
/// of the number show a question. So each device and each account has a token bucket: `burst`
/// attempts at once, then one each `pause`. An attempt takes a token of both, or of none.
///
/// Restarts: in memory only; a restart fills all buckets.
///
/// Threads: any.
class PairingLimits {
public:
    struct Bucket {
        std::size_t burst;
        std::chrono::seconds pause;
    };
    static constexpr Bucket of_device{.burst = 10, .pause = std::chrono::minutes{1}};
    static constexpr Bucket of_account{.burst = 60, .pause = std::chrono::seconds{10}};

    explicit PairingLimits(const Clock& clock) : clock_(clock) {}

    /// Whether `take` would succeed. Errors: as take.
    [[nodiscard]] Result<void> check(const model::Device& device) const;
    /// Errors: too_many_requests.
    [[nodiscard]] Result<void> take(const model::Device& device);
    /// How long until `take` succeeds, in whole seconds, rounded up.
    [[nodiscard]] std::chrono::seconds wait_of(const model::Device& device) const;

private:
    template <class Key>
    using FullAt = std::unordered_map<Key, SteadyTime>;

    [[nodiscard]] Result<void> check(const model::Device& device, SteadyTime now) const;
    void sweep(SteadyTime now);

    const Clock& clock_;
    mutable std::mutex mutex_;
    // When each bucket will be full again; full ones are removed in a sweep.
    FullAt<model::PhoneNumber> devices_;
    FullAt<std::int64_t> accounts_;
};

}  // namespace merpati::devices
