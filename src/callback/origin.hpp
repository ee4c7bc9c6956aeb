// One endpoint's waiting callbacks, and how it has been doing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "outbound/url.hpp"
#include "store/reader.hpp"

namespace merpati::callback {

/// Stops hammering an endpoint that keeps failing: after `failures_to_open` failures in a row, one
/// attempt at a time probes it, at growing distances. What waits meanwhile uses up no attempts.
class Breaker {
public:
    static constexpr std::uint32_t failures_to_open = 10;

    void succeeded() noexcept;
    void failed(Timestamp now) noexcept;

    [[nodiscard]] bool open() const noexcept { return failures_ >= failures_to_open; }
    /// While open: when the next attempt may go.
    [[nodiscard]] Timestamp probe_at() const noexcept { return probe_at_; }

private:
    std::uint32_t failures_ = 0;
    Millis wait_{0};
    Timestamp probe_at_{};
};

/// Callbacks of one origin: those in memory are due now, the others wait on disk.
struct Origin {
    std::int64_t key = 0;
    std::deque<store::QueuedCallback> memory;
    std::optional<Timestamp> disk_due;  // Nothing on disk is due before this; empty: nothing there.
    std::size_t in_flight = 0;
    Breaker breaker;

    std::string url_text;  // The last URL and its parts: mostly they are all the same.
    std::optional<outbound::Url> url;

    bool ready = false;
    Timestamp timer_at = Timestamp::max();

    void note_on_disk(Timestamp due) { disk_due = disk_due ? std::min(*disk_due, due) : due; }
    [[nodiscard]] bool idle() const noexcept {
        return memory.empty() && in_flight == 0 && !disk_due && !breaker.open();
    }
};

}  // namespace merpati::callback
