// Devices that were lost and have not come back.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/queue_clock.hpp"
#include "daemon/notices.hpp"
#include "model/device.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Notifies the webhook of a device that it is disconnected once it has been `reconnecting` for
/// longer than it takes messages in that state (admission::reconnecting_max): because its worker is
/// gone, its platform cannot be reached, or it did not come back after a restart. Before that
/// nobody is notified, so a worker that restarts causes no flood of notices.
///
/// A device that comes and goes is lost too, though it is never away for so long: the time away
/// adds up, and is forgotten ten times as slowly as it is connected. Each such notice doubles what
/// the next one takes, up to flapping_max, until the device has been connected for calm_after.
///
/// Operation: `follow` and `forget` hear of every device that was written, `notify` commits the
/// notices that are due. Whether one is still due is decided in that commit.
///
/// Restarts: devices that are reconnecting at the start have all of the time anew, and what added
/// up is forgotten.
///
/// Threads: any; `notify` is called by one.
///
/// Limits: `notified_max` devices in one change of the store.
class LostDevices {
public:
    struct Rooms {
        const QueueClock& clock;
        Notices& notices;
        store::Committer& committer;
        telemetry::Log log;
    };
    explicit LostDevices(Rooms rooms) : rooms_(std::move(rooms)) {}

    void follow(const model::Device& device);
    void forget(model::PhoneNumber device);

    /// Call it often.
    void notify();

    static constexpr std::size_t notified_max = 100;
    static constexpr std::chrono::minutes flapping_max{8};
    static constexpr std::chrono::minutes calm_after{10};

private:
    struct Lost {
        store::DeviceIdentity device;
        Timestamp since;  // By the wall clock, as it is stored.
        SteadyTime due;
        std::uint32_t losses = 0;  // Of one that comes and goes: how often it went.
    };
    /// How much a device was away of late.
    struct Absence {
        Millis away{0};
        Millis patience;  // From so much on it is lost.
        SteadyTime at;    // Until when that is counted.
        bool is_away = false;
        std::uint32_t losses = 0;
    };
    /// With the time up to now, in which it was away or not.
    Absence& absence_of(model::PhoneNumber device, SteadyTime now);
    [[nodiscard]] std::vector<Lost> take_due();

    const Rooms rooms_;
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, Lost> lost_;
    std::unordered_map<model::PhoneNumber, Absence> absences_;
    std::atomic<bool> notifying_{false};
};

}  // namespace merpati::daemon
