// Keeps queue time with the database's clock.
#pragma once

#include <chrono>

#include "base/clock.hpp"
#include "base/periodic_thread.hpp"
#include "base/queue_clock.hpp"
#include "store/nodes.hpp"

namespace merpati::daemon {

/// Operation: compares queue time with the database's clock again and again, and steers it. So the
/// drifts of machines that share a database do not add up, and a message is due at the same moment
/// whichever node has it.
///
/// Faults: while the database is away, or slow to answer, queue time goes on by the steady clock.
///
/// Threads: one of its own.
class QueueTime {
public:
    QueueTime(QueueClock& clock, store::Nodes& nodes) : clock_(clock), nodes_(nodes) {}

    /// `every`: a third of the lease; more than `every_max` counts as that.
    void start(std::chrono::milliseconds every);
    /// Idempotent.
    void stop() { thread_.stop(); }

    /// Steers queue time by one comparison. Nothing is done if it is not exact enough, or the
    /// difference is not certain.
    void steer();

    static constexpr std::chrono::seconds every_max{10};

    /// How exactly the difference must be known.
    static constexpr Millis within_max{50};

private:
    QueueClock& clock_;
    store::Nodes& nodes_;
    PeriodicThread thread_;  // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
