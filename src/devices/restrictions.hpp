// Ends the restrictions of devices at the time that their platforms named.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/queue_clock.hpp"
#include "devices/notices.hpp"
#include "model/device.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Sets a device that is `restricted` to `connected` when Device::restricted_until has come, also
/// if its connector reports nothing.
///
/// Operation: `follow` and `forget` are called for every device that was written or removed. `end`
/// commits the ends that are due, each in a change of its own, which checks that it is still due.
/// An end that cannot be stored is tried again after retry_after.
///
/// Restarts: `follow` is called for every device at the start, so nothing is lost.
///
/// Threads: any; `end` on one thread.
///
/// Limits: `ends_max` ends at once.
class Restrictions {
public:
    struct Rooms {
        const QueueClock& clock;
        Notices& notices;
        store::Committer& committer;
        telemetry::Log log;
    };
    explicit Restrictions(Rooms rooms) : rooms_(std::move(rooms)) {}

    void follow(const model::Device& device);
    void forget(model::PhoneNumber device);

    /// Call it periodically. Does not wait for the commits.
    void end();

    static constexpr std::size_t ends_max = 100;
    static constexpr Millis retry_after{10'000};

private:
    struct Restricted {
        store::DeviceIdentity device;
        Timestamp until;  // By the wall clock.
    };
    [[nodiscard]] std::vector<store::DeviceIdentity> take_due();

    const Rooms rooms_;
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, Restricted> restricted_;
};

}  // namespace merpati::devices
