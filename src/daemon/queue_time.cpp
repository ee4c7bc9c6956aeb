#include "daemon/queue_time.hpp"

#include <algorithm>
#include <chrono>

namespace merpati::daemon {

void QueueTime::start(std::chrono::milliseconds every) {
    const auto pause = std::min<std::chrono::milliseconds>(every, every_max);
    thread_.start("queue-time", pause, [this, pause]() -> PeriodicThread::Pause {
        steer();
        return pause;
    });
}

void QueueTime::steer() {
    const auto found = store::compare_clocks(nodes_, clock_.machine());
    if (!found || found->within > within_max) {
        return;
    }
    if (std::chrono::abs(found->database_ahead - clock_.offset()) > found->within) {
        clock_.steer(found->database_ahead);
    }
}

}  // namespace merpati::daemon
