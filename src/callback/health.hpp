// The health of an endpoint, and how many concurrent attempts it gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace merpati::callback {

/// Operation: an endpoint starts with one attempt at a time. Answers within `prompt_max` make it
/// prompt, and each 2xx that comes while all its attempts are in use adds one more, up to
/// `slots_max`. One that answers later, or not, is not prompt; slow 2xx add attempts up to a
/// quarter of `slots_max`, a failure halves the number. After `failures_to_open` failures in a row
/// the breaker opens: one attempt at a time probes the endpoint, with growing pauses, and callbacks
/// that wait meanwhile use up no attempts.
///
/// An answer of the application (3xx, 4xx) is no failure: the endpoint is up.
///
/// Threads: none.
class Health {
public:
    static constexpr std::uint32_t failures_to_open = 10;
    static constexpr Millis prompt_max{1'000};

    enum class Answer : std::uint8_t {
        taken,     // 2xx
        declined,  // 3xx, 4xx
        crowded,   // 429: the receiver asks for less at once.
        failed,    // 5xx, and no answer
    };

    explicit Health(std::size_t slots_max) : slots_max_(slots_max) {}

    /// `all_in_use`: it had no attempt left to start when the answer came.
    void answered(Answer answer, SteadyTime now, Millis took, bool all_in_use) noexcept;

    /// An attempt has been under way for longer than `prompt_max`.
    void stalled() noexcept;

    /// Attempts that may be under way at once.
    [[nodiscard]] std::size_t slots() const noexcept { return open() ? 1 : slots_; }
    [[nodiscard]] bool prompt() const noexcept { return prompt_ && !open(); }
    [[nodiscard]] bool open() const noexcept { return failures_ >= failures_to_open; }
    /// While open: when the next attempt may go.
    [[nodiscard]] SteadyTime probe_at() const noexcept { return probe_at_; }

private:
    void failed(SteadyTime now) noexcept;
    void earn(std::size_t most) noexcept;
    void halve() noexcept { slots_ = slots_ > 1 ? slots_ / 2 : 1; }

    const std::size_t slots_max_;
    std::size_t slots_ = 1;
    bool prompt_ = false;
    std::uint32_t failures_ = 0;
    Millis wait_{0};
    SteadyTime probe_at_{};
};

}  // namespace merpati::callback
