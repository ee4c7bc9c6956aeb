// Faults of a store that its writer and its readers have found.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "model/ids.hpp"

namespace merpati::store {

/// How much room the store's disk has left.
enum class Room : std::uint8_t {
    ample,
    low,   // No message is accepted any more; what was accepted is still sent.
    none,  // Not even an outcome is sure to be recorded: nothing is sent.
};

/// Operation: the engine notes faults; admission, scheduler and health ask. Room comes back by
/// itself, damage stays until the store is opened again.
///
/// Threads: any.
///
/// Limits: remembers `damages_max` damaged places; more are reported as "at least".
class Condition {
public:
    static constexpr std::size_t damages_max = 10'000;

    // For admission.
    [[nodiscard]] bool accepts() const noexcept { return room_ == Room::ample; }
    /// What waits in this device's lane cannot be read, or cannot be written: nothing of it leaves.
    [[nodiscard]] bool is_damaged(model::PhoneNumber lane) const;

    // For the scheduler.
    /// Whether one more send may begin while so many are in flight: the disk must have room for the
    /// outcome of each.
    [[nodiscard]] bool may_send(std::size_t in_flight) const noexcept;

    // For health and logs.
    [[nodiscard]] Room room() const noexcept { return room_; }
    /// How many damaged places were met.
    [[nodiscard]] std::size_t damages() const noexcept { return damages_; }
    /// As a sentence without its subject: "is damaged: 2 message rows …"; empty: nothing is wrong.
    [[nodiscard]] std::string trouble() const;

    // For engines.
    /// `sends_max`: so many outcomes surely find room while it is low.
    void set_room(Room room, std::size_t sends_max) noexcept;
    void note_damaged_lane(model::PhoneNumber lane);
    /// A place that holds up nothing else: "message 019…", "an index of callbacks".
    void note_damage(std::string place);

private:
    void count();

    std::atomic<Room> room_{Room::ample};
    std::atomic<std::size_t> sends_max_{0};
    std::atomic<std::size_t> damages_{0};
    std::atomic<bool> lanes_damaged_{false};
    mutable std::mutex mutex_;
    std::unordered_set<model::PhoneNumber> lanes_;
    std::set<std::string> places_;
};

}  // namespace merpati::store
