// Notifies webhooks of devices that lost their connection and have not reconnected.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/queue_clock.hpp"
#include "devices/notices.hpp"
#include "model/device.hpp"
#include "store/committer.hpp"
#include "telemetry/log.hpp"

namespace merpati::devices {

/// Sends a device.disconnected notice once a device has been `reconnecting` for
/// admission::reconnecting_max, the time for which it takes messages in that state: its worker is
/// gone, its platform cannot be reached, or it did not reconnect after a restart. There is no
/// notice before, so a worker that restarts does not cause a flood of notices.
///
/// A device whose connection flaps gets a notice too, although no single absence is that long: the
/// time away adds up, and a tenth of the time connected is subtracted. Each such notice doubles the
/// time away that the next one needs, up to flapping_max, until the device has been connected for
/// calm_after.
///
/// Operation: `follow` and `forget` are called for every device that was written or removed.
/// `notify` commits the notices that are due, each in a change of its own, which checks that it is
/// still due. A notice that cannot be stored is tried again after retry_after.
///
/// Restarts: the sums are in memory only. A device that is reconnecting at the start gets the whole
/// time again.
///
/// Threads: any; `notify` on one thread.
///
/// Limits: `notified_max` notices wait to be stored.
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

    /// Call it periodically, several times a second. Does not wait for the commit.
    void notify();

    static constexpr std::size_t notified_max = 100;
    static constexpr std::chrono::seconds retry_after{10};
    static constexpr std::chrono::minutes flapping_max{8};
    static constexpr std::chrono::minutes calm_after{10};

private:
    struct Lost {
        store::DeviceIdentity device;
        Timestamp since;  // Device::state_since, to recognise this loss in the transaction.
        SteadyTime due;
        std::uint32_t losses = 0;  // How often a flapping device was lost; 0: it does not flap.
    };
    /// How long a device was away lately.
    struct Absence {
        Millis away{0};
        Millis patience;  // At this much `away` a notice is due.
        SteadyTime at;    // `away` is counted up to this time.
        bool is_away = false;
        std::uint32_t losses = 0;
    };
    /// The device's absence, counted up to `now`; a new one if there is none.
    Absence& absence_of(model::PhoneNumber device, SteadyTime now);
    [[nodiscard]] std::vector<Lost> take_due();
    void put_back(Lost lost);

    const Rooms rooms_;
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, Lost> lost_;
    std::unordered_map<model::PhoneNumber, Absence> absences_;
    std::atomic<std::size_t> waiting_{0};  // Notices that are being stored.
};

}  // namespace merpati::devices
