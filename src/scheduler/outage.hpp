// The times in which a device cannot send.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"

namespace merpati::scheduler {

/// A time for which something waited.
struct WaitSpan {
    Timestamp from;
    Timestamp until;
};

/// Since when a lane's device cannot send, by its state or by its connector's outcomes, and when it
/// is tried again.
///
/// Operation: where the connector reports the device as down although its state is connected, one
/// message at a time is a probe of it (`probe_later`). The outage ends with `end`. Its begin is
/// stored, so that a restart does not prolong it (`needs_storing`).
///
/// Threads: none. The scheduler's thread owns every outage.
class Outage {
public:
    static constexpr std::chrono::seconds probe_first{5};
    static constexpr std::chrono::seconds probe_longest{60};
    static constexpr std::chrono::seconds asked_wait_min{1};

    /// Empty: the device can send, as far as is known.
    [[nodiscard]] std::optional<Timestamp> since() const noexcept { return since_; }
    [[nodiscard]] bool is_probing() const noexcept { return probing_; }
    /// When the next probe may be sent.
    [[nodiscard]] Timestamp probe_at() const noexcept { return probe_at_; }
    /// The present outage until `now`, or else the last one.
    [[nodiscard]] WaitSpan span(Timestamp now) const noexcept {
        return since_ ? WaitSpan{.from = *since_, .until = now} : last_;
    }

    void begin(Timestamp now) noexcept { since_ = now; }
    void end(Timestamp now) noexcept;
    /// As it is in the store.
    void restore(std::optional<Timestamp> since) noexcept { since_ = stored_ = since; }

    /// A send found the device down. The pause is as long as the platform asks for, up to
    /// `asked_longest`, otherwise longer after each probe. Sends that were in flight when the
    /// device went down change it only if the platform asks for a longer one.
    void probe_later(Timestamp now, bool is_probe, std::optional<Millis> asked,
                     Millis asked_longest) noexcept;
    void stop_probing() noexcept { probing_ = false; }

    /// Whether the store has another begin.
    [[nodiscard]] bool needs_storing() const noexcept { return since_ != stored_; }
    /// What the store gets, and has from now on.
    [[nodiscard]] std::optional<Timestamp> take_for_store() noexcept { return stored_ = since_; }

private:
    std::optional<Timestamp> since_;
    std::optional<Timestamp> stored_;
    WaitSpan last_{};
    bool probing_ = false;
    Millis probe_wait_{0};
    Timestamp probe_at_{};
};

}  // namespace merpati::scheduler
