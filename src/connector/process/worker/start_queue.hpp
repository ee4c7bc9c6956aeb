// Devices that wait for their `device.start`.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::connector::process {

/// Operation: devices are started at a limited rate, so that the handshakes of many do not take a
/// worker's processor from those that send. After a pause, a second's worth may start at once.
/// Accounts take turns, so that one that starts many devices, or the same ones again and again,
/// delays no other by more than a start.
///
/// Threads: none. Limits: each device waits once.
class StartQueue {
public:
    StartQueue(const Clock& clock, std::size_t per_second)
        : clock_(clock), per_second_(per_second), since_(clock.steady_now()) {}

    /// Without effect for a device that waits already.
    void add(model::AccountId account, model::PhoneNumber device);
    /// Removes and returns the device that may start now; empty: none waits, or none may yet.
    [[nodiscard]] std::optional<model::PhoneNumber> next();
    void clear();

private:
    [[nodiscard]] bool take_one();

    const Clock& clock_;
    const std::size_t per_second_;
    SteadyTime since_;  // When the bucket was last filled.
    std::chrono::nanoseconds free_{
        std::chrono::seconds{1}};  // What the bucket holds, as the time in which it was earned.
    std::unordered_map<model::AccountId, std::deque<model::PhoneNumber>> of_account_;
    std::list<model::AccountId> turns_;
    std::unordered_set<model::PhoneNumber> waiting_;
};

}  // namespace merpati::connector::process
