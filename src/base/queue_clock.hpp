// Queue time: the time scale of due times, on disk and in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace merpati {

/// Queue time: the wall clock at the start, advanced by the steady clock alone. Setting the wall
/// clock, forward or back, makes no wait longer or shorter.
///
/// Which time to use:
///   now()         due times (also of delays), back-offs, give-up, ids, ages of idempotency keys:
///                 times that are compared with times stored before.
///   wall_now()    times that people and other machines read or write: acceptance, ends, signatures
///                 of callbacks, logs, expiry of accounts, keys and certificates, days.
///   steady_now()  waits in memory alone, deadlines and timeouts.
/// Never compare a stored queue time with the wall clock, nor the other way round.
///
/// Operation: queue time and wall clock are equal until the wall clock is set. `notice_step`,
/// called once a second, returns by how much it was set; the caller then stores the new difference
/// (`offset`). After a restart, queue time goes on from the wall clock plus the stored offset, but
/// never from before the newest time in the store: the wall clock may have been set back meanwhile.
///
/// Threads: `begin` before all others; `notice_step` on one thread, `steer` on one; the rest on
/// any.
///
/// Where machines share a database, queue time is that of the database's clock: it begins with the
/// difference between the two clocks, and `steer` leads it back as they drift apart. The difference
/// is not stored then.
///
/// Limits: a forward step while the process was down counts as time that passed. Queue time stands
/// still while the machine sleeps; afterwards the sleep is noticed as a step forward.
class QueueClock final : public Clock {
public:
    /// Queue time is the wall clock's until `begin`. `machine` must outlive it.
    explicit QueueClock(const Clock& machine);

    /// Goes on where the previous process ended. `newest`: the newest queue time in the store.
    void begin(Millis stored_offset, Timestamp newest) noexcept;

    [[nodiscard]] Timestamp now() const noexcept override;
    [[nodiscard]] SteadyTime steady_now() const noexcept override { return machine_.steady_now(); }
    [[nodiscard]] Timestamp wall_now() const noexcept { return machine_.now(); }
    [[nodiscard]] const Clock& machine() const noexcept { return machine_; }

    /// By how far queue time is ahead of the wall clock; negative: behind.
    [[nodiscard]] Millis offset() const noexcept { return now() - wall_now(); }

    /// By how much the wall clock was set since the last step; empty: by `step_min` at most.
    [[nodiscard]] std::optional<Millis> notice_step() noexcept;

    /// Moves queue time towards where it should be, by `steer_max` at most; backwards too, so that
    /// it may stand still or go back for so long. `ahead`: by how far it should be ahead of the
    /// wall clock.
    void steer(Millis ahead) noexcept;

    /// How many steps were noticed since the process began.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

    static constexpr Millis step_min{1'000};
    /// Corrects the drift of any clock if it is called every few minutes, and is a small part of
    /// the shortest wait.
    static constexpr Millis steer_max{5};

private:
    const Clock& machine_;
    std::atomic<std::int64_t> base_;  // Queue time, in milliseconds, when the steady clock was 0.
    std::atomic<std::uint64_t> steps_{0};
    std::atomic<std::int64_t> noticed_{0};  // The offset after the last step, in milliseconds.
};

}  // namespace merpati
