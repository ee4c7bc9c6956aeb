// The time in which waiting is measured: what is due when, on disk and in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace merpati {

/// Queue time: the wall clock as it was when waiting began, moved on by the steady clock alone. A
/// wall clock that is set, either way, makes nothing wait longer or shorter.
///
/// Which time to use:
///   now()         due times, back-offs, give-up, ids, ages of idempotency keys: all that is
///                 compared with what was stored before. `accepted` plus a delay is counted here.
///   wall_now()    what people and other machines read or say: acceptance, ends, signatures of
///                 callbacks, logs, expiry of accounts, keys and certificates, days.
///   steady_now()  what waits in memory alone, deadlines and timeouts.
/// Never compare a stored queue time with the wall clock, nor the other way round.
///
/// Operation: queue time and wall clock are the same until the wall clock is set. `notice_step`,
/// called once a second, tells by how much it was set; the new distance between both (`offset`) is
/// then to be stored. A restart goes on with wall clock plus stored offset, but never from before
/// the newest time in the store: a wall clock that was set back meanwhile is behind that.
///
/// Threads: `begin` before all others; `notice_step` on one thread; the rest on any.
///
/// Limits: a forward step while the process was down looks like time that passed. While the machine
/// sleeps, queue time stands still; afterwards that looks like a step forward.
class QueueClock final : public Clock {
public:
    /// Queue time is the wall clock's until `begin`. `machine` must outlive it.
    explicit QueueClock(const Clock& machine);

    /// Goes on where the process before ended. `newest`: the newest queue time in the store.
    void begin(Millis stored_offset, Timestamp newest) noexcept;

    [[nodiscard]] Timestamp now() const noexcept override;
    [[nodiscard]] SteadyTime steady_now() const noexcept override { return machine_.steady_now(); }
    [[nodiscard]] Timestamp wall_now() const noexcept { return machine_.now(); }

    /// By how far queue time is ahead of the wall clock; negative: behind.
    [[nodiscard]] Millis offset() const noexcept { return now() - wall_now(); }

    /// By how much the wall clock was set since the last call, where it was more than `step_min`.
    [[nodiscard]] std::optional<Millis> notice_step() noexcept;

    /// How often it was set, since this process began.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

    static constexpr Millis step_min{1'000};

private:
    const Clock& machine_;
    std::atomic<std::int64_t> base_;  // Queue time, in milliseconds, when the steady clock was 0.
    std::atomic<std::uint64_t> steps_{0};
    Millis noticed_{0};  // The offset that `notice_step` last knew.
};

}  // namespace merpati
