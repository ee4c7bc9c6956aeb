// The condition of a store: whether it is there, free disk space, and damage that its writer and
// readers have found.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "model/ids.hpp"

namespace merpati::store {

/// How much space the store's disk has left.
enum class Room : std::uint8_t {
    ample,
    low,   // No message is accepted; accepted ones are still sent.
    none,  // Outcomes may find no space: nothing is sent.
};

/// The faults of one store, as its writer and its readers find them.
///
/// Operation: the engine records faults; admission, scheduler and health read them. The engine
/// updates the room as it changes; damage stays until the store is opened again.
///
/// Threads: any.
///
/// Limits: remembers `damages_max` lanes and as many other places; from that many on, `trouble`
/// says "at least".
class Condition {
public:
    static constexpr std::size_t damages_max = 10'000;

    /// Called once for each damaged place, on the thread that found it, for the operator's log.
    using OnDamage = std::function<void(std::string_view place)>;
    explicit Condition(OnDamage on_damage = {}) : on_damage_(std::move(on_damage)) {}

    // For admission.
    [[nodiscard]] bool accepts() const noexcept { return room_ == Room::ample; }
    /// False while the database is away: nothing is read or written.
    [[nodiscard]] bool is_available() const noexcept { return available_; }
    /// Whether the device's lane cannot be read or written. Such a device does not send.
    [[nodiscard]] bool is_damaged(model::PhoneNumber lane) const;

    // For the scheduler.
    /// Whether one more send may begin while `in_flight` others are in flight: the disk must have
    /// room for the outcome of each, and the database must be there.
    [[nodiscard]] bool may_send(std::size_t in_flight) const noexcept;

    // For health, metrics and logs.
    /// The size of the log of commits. It grows while a reader, such as a backup, needs it.
    [[nodiscard]] std::uint64_t log_bytes() const noexcept { return log_bytes_; }
    [[nodiscard]] Room room() const noexcept { return room_; }
    /// How many damaged places were found.
    [[nodiscard]] std::size_t damages() const noexcept { return damages_; }
    /// How often the database came back after it was away.
    [[nodiscard]] std::uint64_t reconnects() const noexcept { return reconnects_; }
    /// A text for operators, such as "is damaged: 2 places cannot be read or written"; empty: no
    /// fault.
    [[nodiscard]] std::string trouble() const;

    // For engines.
    /// `sends_max`: how many sends may be in flight while the room is `low`.
    void set_room(Room room, std::size_t sends_max) noexcept;
    void set_log_bytes(std::uint64_t bytes) noexcept { log_bytes_ = bytes; }
    /// Whether another program has locked the store.
    void set_locked(bool locked) noexcept { locked_ = locked; }
    void set_available(bool available) noexcept;
    void note_damaged_lane(model::PhoneNumber lane);
    /// A damaged place that stops no lane: "message 019…", "an index of callbacks".
    void note_damage(const std::string& place);

private:
    void note(bool is_new, std::string_view place);

    const OnDamage on_damage_;
    std::atomic<Room> room_{Room::ample};
    std::atomic<std::size_t> sends_max_{0};
    std::atomic<std::uint64_t> log_bytes_{0};
    std::atomic<bool> locked_{false};
    std::atomic<bool> available_{true};
    std::atomic<std::uint64_t> reconnects_{0};
    std::atomic<std::size_t> damages_{0};
    std::atomic<bool> lanes_damaged_{false};
    mutable std::mutex mutex_;
    std::unordered_set<model::PhoneNumber> lanes_;
    std::set<std::string> places_;
};

}  // namespace merpati::store
