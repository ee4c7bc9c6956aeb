// How much a worker, or the official platform, may have stored in a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::connector {

/// A worker that floods would fill the store, and delay everybody who commits. So would an account
/// that posts in the official platform's name, with the secret of its own device's app. Messages,
/// statuses and values are therefore counted by their bytes.
///
/// Operation: each device, each account and the worker, or the platform, have a rate. What they do
/// not use adds up to `burst_seconds` of it: a phone that was away brings what waited for it. An
/// account that uses less than `account_floor` is not refused because other accounts use the
/// worker's rate up.
///
/// Threads: none. Limits: remembers only who wrote in the last `burst_seconds`.
class WriteBudget {
public:
    static constexpr std::uint64_t device_rate = 4 << 20;  // Bytes a second.
    static constexpr std::uint64_t account_rate = 8 << 20;
    static constexpr std::uint64_t worker_rate = 16 << 20;
    static constexpr std::uint64_t account_floor = 256 << 10;
    static constexpr std::uint64_t burst_seconds = 8;

    explicit WriteBudget(const Clock& clock) : clock_(clock) {}

    /// 0: it may be stored, and is counted. Otherwise when to try again; nothing is counted then.
    [[nodiscard]] Millis take(model::AccountId account, model::PhoneNumber device,
                              std::size_t bytes);

private:
    using Nanos = std::chrono::nanoseconds;
    /// When a bucket will be full again; in the past: it is full.
    using FullAt = SteadyTime;

    [[nodiscard]] static Nanos wait_for(FullAt full_at, SteadyTime now, Nanos cost);
    static void charge(FullAt& full_at, SteadyTime now, Nanos cost);
    void forget_idle(SteadyTime now);

    const Clock& clock_;
    FullAt worker_{};
    std::unordered_map<model::PhoneNumber, FullAt> of_device_;
    std::unordered_map<model::AccountId, FullAt> of_account_;
    std::unordered_map<model::AccountId, FullAt> floor_of_account_;
    SteadyTime next_forget_{};
};

}  // namespace merpati::connector
