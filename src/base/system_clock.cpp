// The only place that asks the machine for the time.
#include "base/clock.hpp"

namespace merpati {

Timestamp SystemClock::now() const noexcept {
    return std::chrono::floor<Millis>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady_now() const noexcept {
    return std::chrono::steady_clock::now();
}

}  // namespace merpati
