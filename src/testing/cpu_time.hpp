// What some code costs, whatever else the machine does.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace merpati::testing {

/// The processor time of this thread that `run` takes, the least of five tries.
template <class Run>
[[nodiscard]] std::chrono::nanoseconds cpu_time_of(Run run) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
    };
    auto least = std::chrono::nanoseconds::max();
    for (int tries = 0; tries < 5; ++tries) {
        const auto begun = now();
        run();
        least = std::min(least, now() - begun);
    }
    return least;
}

}  // namespace merpati::testing
