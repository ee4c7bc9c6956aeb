// Devices that were lost and have not come back.
#pragma once

#include <atomic>
#include <cstddef>
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
/// nobody is notified, so a worker that restarts in a loop causes no flood of notices.
///
/// Operation: `follow` and `forget` hear of every device that was written, `notify` commits the
/// notices that are due. Whether one is still due is decided in that commit.
///
/// Restarts: devices that are reconnecting at the start have all of the time anew.
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

private:
    struct Lost {
        store::DeviceIdentity device;
        Timestamp since;  // By the wall clock, as it is stored.
        SteadyTime due;
    };
    [[nodiscard]] std::vector<Lost> take_due();

    const Rooms rooms_;
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, Lost> lost_;
    std::atomic<bool> notifying_{false};
};

}  // namespace merpati::daemon
