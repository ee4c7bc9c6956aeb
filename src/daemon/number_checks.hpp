// What platforms said of numbers, and how often each device may ask.
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

/// Platforms ban numbers that ask about many others, so a device may ask `burst` times at once and
/// then once in `pause`, however many programs want to know. Who is served from what was answered
/// before asks nobody.
///
/// Threads: any. Limits: `kept_max` answers, an account's own first; `registered_for` where the
/// number is registered, `unregistered_for` where it is not, which its owner may be mending. A
/// restart forgets all of it.
class NumberChecks {
public:
    using Check = api::manage::PlatformControl::NumberCheck;

    static constexpr std::size_t burst = 10;
    static constexpr Millis pause{60'000};
    static constexpr std::size_t kept_max = 20'000;
    static constexpr std::chrono::hours registered_for{24};
    static constexpr std::chrono::hours unregistered_for{1};

    explicit NumberChecks(const Clock& clock) : clock_(clock) {}

    /// What the device's account was answered on the same connector.
    [[nodiscard]] std::optional<Check> find(const model::Device& device, std::string_view number);
    /// Takes one question of the device; false: it has asked too often.
    [[nodiscard]] bool take_turn(model::PhoneNumber device);
    Check keep(const model::Device& device, std::string_view number, bool registered);

private:
    struct Kept {
        Check check;
        SteadyTime until;
    };

    const Clock& clock_;
    std::mutex mutex_;
    SharedCache<model::AccountId, std::string, Kept> kept_{kept_max};
    // When each device will have all its questions again; those that have are forgotten.
    std::unordered_map<model::PhoneNumber, SteadyTime> whole_at_;
};

}  // namespace merpati::daemon
