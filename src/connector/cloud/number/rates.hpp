// How fast one number may send, in all and to each recipient.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"

namespace merpati::connector::cloud {

/// The platform's documented rates, kept before it has to refuse: 80 messages a second of a number,
/// and one every six seconds to the same recipient, of which 45 may be taken in advance. Where the
/// platform says that a rate was exceeded nevertheless, nothing is sent until the wait has passed.
///
/// Operation: ask `pair_wait` and `number_wait`, then call `sent`.
///
/// Restarts: Numbers keeps the pause of the whole number. Of recipients nothing is kept; the
/// platform's own refusals then decide.
///
/// Threads: none. Memory: the recipients of the last minutes, at most as many as the number's rate
/// allows in the time that 45 messages in advance take.
class Rates {
public:
    static constexpr std::chrono::nanoseconds number_gap = std::chrono::microseconds{12'500};
    static constexpr std::chrono::seconds pair_gap{6};
    static constexpr int pair_burst = 45;
    static constexpr Millis pair_wait_max{3'600'000};

    /// How long nothing may be sent, because the platform asked for it; 0: it may.
    [[nodiscard]] Millis held_for(SteadyTime now) const;
    void hold(SteadyTime until);

    /// How long nothing may be sent to the recipient; 0: it may.
    [[nodiscard]] Millis pair_wait(const std::string& recipient, SteadyTime now) const;
    /// Takes one message of both rates. Returns how long to wait before it is sent.
    [[nodiscard]] std::chrono::nanoseconds take(const std::string& recipient, SteadyTime now);

    /// The platform says that too much was sent to the recipient. Returns for how long nothing may
    /// be sent to it: `asked`, or 4, 16, 64, … seconds, as the platform advises.
    [[nodiscard]] Millis pair_refused(const std::string& recipient, std::optional<Millis> asked,
                                      SteadyTime now);
    /// A message to the recipient was taken.
    void pair_taken(const std::string& recipient);

private:
    struct Pair {
        SteadyTime due;  // When all that was sent is paid for, at one in each gap.
        SteadyTime refused_until{};
        int refusals = 0;  // In a row.
    };

    void forget_idle(SteadyTime now);

    SteadyTime next_{};  // The earliest time of the number's next message.
    SteadyTime held_until_{};
    std::unordered_map<std::string, Pair> pairs_;
    std::size_t look_at_ = 1'024;  // At this many pairs, idle ones are dropped.
};

}  // namespace merpati::connector::cloud
