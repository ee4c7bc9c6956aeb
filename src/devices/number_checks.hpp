// Shares and caches checks of numbers, and limits how often each device may ask its platform.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/manage/devices/platform_control.hpp"
#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "model/device.hpp"

namespace merpati::devices {

/// Platforms ban devices that ask about many numbers, so each device has a token bucket: `burst`
/// questions at once, then one each `pause`. An answer from the cache takes no token, nor does a
/// check that joins a question under way. A question takes its token whatever its answer is,
/// because the platform may have seen it.
///
/// Operation: `begin` answers the check, or lets it wait for the answer that the platform gives to
/// the same account, connector and number, or says that the caller must ask; the caller then passes
/// the answer to `end`. Cached are registered numbers for `registered_for`, unregistered ones for
/// `unregistered_for`, because their owners may register them, and numbers that cannot exist
/// (invalid_argument) for `impossible_for`.
///
/// Threads: any. The functions that are given are called without a lock.
///
/// Limits: `kept_max` cached answers; beyond it the account with the most loses its least recently
/// used. Cache and buckets are in memory only.
class NumberChecks {
public:
    using Check = api::manage::PlatformControl::NumberCheck;
    using Checked = api::manage::PlatformControl::Checked;

    static constexpr std::size_t burst = 10;
    static constexpr Millis pause{60'000};
    static constexpr std::size_t kept_max = 20'000;
    static constexpr std::chrono::hours registered_for{24};
    static constexpr std::chrono::hours unregistered_for{1};
    static constexpr std::chrono::hours impossible_for{24};

    explicit NumberChecks(const Clock& clock) : clock_(clock) {}

    /// True: the caller must ask the device's platform and call `end`. Otherwise `done` is called
    /// at once, or later. Errors for `done`: too_many_requests, those of `end`.
    [[nodiscard]] bool begin(const model::Device& device, const std::string& number, Checked done);

    /// A check that waited for the question of another device of its account.
    struct Waiting {
        model::Device device;
        Checked done;
    };
    /// Takes the answer for the device that asked. Answers all who wait for it. If it is a failure
    /// that says nothing about the number, it answers those of this device only, and returns the
    /// others, which must begin again.
    [[nodiscard]] std::vector<Waiting> end(const model::Device& device, const std::string& number,
                                           const Result<bool>& registered);

private:
    struct Kept {
        Result<Check> answer;
        SteadyTime until;
    };

    [[nodiscard]] std::optional<Result<Check>> find(const model::Device& device,
                                                    const std::string& key);
    [[nodiscard]] bool take_turn(model::PhoneNumber device);
    Result<Check> keep(const model::Device& device, const std::string& key,
                       const Result<bool>& registered);

    const Clock& clock_;
    std::mutex mutex_;
    SharedCache<model::AccountId, std::string, Kept> kept_{kept_max};
    /// Checks that wait for a question under way, the one that asks among them.
    std::map<std::pair<model::AccountId, std::string>, std::vector<Waiting>> under_way_;
    // When each device's bucket will be full; full ones are removed in a sweep.
    std::unordered_map<model::PhoneNumber, SteadyTime> whole_at_;
};

}  // namespace merpati::devices
