// The health of an endpoint: its concurrent attempts and its breaker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace merpati::callback {

/// Operation: an endpoint starts with one attempt at a time. An answer within `prompt_max` makes it
/// prompt, and each 2xx that arrives while all its attempts are in use adds one more, up to
/// `slots_max`. A later answer, or none, makes it not prompt; late 2xx add attempts only up to a
/// quarter of `slots_max`, and a failure halves the number. After `failures_to_open` failures in a
/// row the breaker opens: one attempt at a time probes the endpoint, with a growing back-off.
/// Waiting callbacks use up none of their attempts meanwhile.
///
/// A failure of an attempt that began before the latest answer, or before the breaker opened, opens
/// nothing and lengthens no back-off: it says nothing that is newer. Of an endpoint that answers
/// most attempts and leaves some hanging, those soon use all slots, and fail together.
///
/// An answer of the application (3xx, 4xx) is no failure: the endpoint is up. 429 halves the number
/// of attempts.
///
/// Threads: none.
class Health {
public:
    static constexpr std::uint32_t failures_to_open = 10;
    static constexpr Millis prompt_max{1'000};

    enum class Answer : std::uint8_t {
        success,            // 2xx
        client_error,       // 3xx, 4xx
        too_many_requests,  // 429
        failure,            // 5xx, or no answer.
    };

    explicit Health(std::size_t slots_max) : slots_max_(slots_max) {}

    /// `took`: since the attempt began. `all_in_use`: as many attempts as allowed were in flight
    /// when the answer came. `events`: how many callbacks it concerns. Each counts as a failure,
    /// but one request alone never opens the breaker, because one callback of a batch may make all
    /// others fail.
    void answered(Answer answer, SteadyTime now, Millis took, bool all_in_use,
                  std::size_t events = 1) noexcept;

    /// An attempt has been in flight for longer than `prompt_max`.
    void stalled() noexcept;

    /// Attempts that may be in flight at once.
    [[nodiscard]] std::size_t slots() const noexcept { return open() ? 1 : slots_; }
    [[nodiscard]] bool prompt() const noexcept { return prompt_ && !open(); }
    [[nodiscard]] bool open() const noexcept { return failures_ >= failures_to_open; }
    /// While open: when the next attempt may begin.
    [[nodiscard]] SteadyTime probe_at() const noexcept { return probe_at_; }

private:
    void failed(SteadyTime began, SteadyTime now, std::size_t events) noexcept;
    void add_slot(std::size_t most) noexcept;
    void halve() noexcept { slots_ = slots_ > 1 ? slots_ / 2 : 1; }

    const std::size_t slots_max_;
    std::size_t slots_ = 1;
    bool prompt_ = false;
    std::uint32_t failures_ = 0;
    SteadyTime counted_from_{};  // Failures of attempts that began earlier do not count.
    Millis wait_{0};
    SteadyTime probe_at_{};
};

}  // namespace merpati::callback
