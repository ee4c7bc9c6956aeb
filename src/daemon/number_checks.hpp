// Caches which numbers are registered, and limits how often each device may ask its platform.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/manage/context.hpp"
#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "model/device.hpp"

namespace merpati::daemon {

/// Platforms ban devices that ask about many numbers, so each device has a token bucket: `burst`
/// questions at once, then one each `pause`. An answer from the cache takes no token.
///
/// Threads: any.
///
/// Limits: `kept_max` cached answers; beyond it the account with the most loses its least recently
/// used. A registered number is cached for `registered_for`, an unregistered one for
/// `unregistered_for`, because its owner may register it. Cache and buckets are in memory only.
class NumberChecks {
public:
    using Check = api::manage::PlatformControl::NumberCheck;

    static constexpr std::size_t burst = 10;
    static constexpr Millis pause{60'000};
    static constexpr std::size_t kept_max = 20'000;
    static constexpr std::chrono::hours registered_for{24};
    static constexpr std::chrono::hours unregistered_for{1};

    explicit NumberChecks(const Clock& clock) : clock_(clock) {}

    /// The cached answer that the device's account got on the same connector; empty: none.
    [[nodiscard]] std::optional<Check> find(const model::Device& device, std::string_view number);
    /// Takes one token of the device; false: none is left.
    [[nodiscard]] bool take_turn(model::PhoneNumber device);
    /// Caches an answer of the platform, and returns it with its time.
    Check keep(const model::Device& device, std::string_view number, bool registered);

private:
    struct Kept {
        Check check;
        SteadyTime until;
    };

    const Clock& clock_;
    std::mutex mutex_;
    SharedCache<model::AccountId, std::string, Kept> kept_{kept_max};
    // When each device's bucket will be full; full ones are removed in a sweep.
    std::unordered_map<model::PhoneNumber, SteadyTime> whole_at_;
};

}  // namespace merpati::daemon
