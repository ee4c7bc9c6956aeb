// A thread that calls a function again and again, with a pause before each call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace merpati {

/// Operation: pauses, calls the round, pauses for as long as the round returned, and so on until
/// `stop`.
///
/// Threads: `start` and `stop` from the owner's; `wake` from any, and from within a round.
class PeriodicThread {
public:
    using Pause = std::optional<std::chrono::milliseconds>;  // Empty: until `wake`.

    PeriodicThread() = default;
    ~PeriodicThread() { stop(); }
    PeriodicThread(const PeriodicThread&) = delete;
    PeriodicThread& operator=(const PeriodicThread&) = delete;

    /// Call it once. `name`: see `start_thread`.
    void start(const std::string& name, Pause first, std::function<Pause()> round);

    /// Ends a pause without a limit: the current one, or the one after the current round. Does not
    /// shorten a pause with a limit; the round that follows it answers the wake.
    void wake();

    /// Ends the pause, and waits for the round that runs; no other one begins. Idempotent.
    void stop();

private:
    void run(Pause pause, const std::function<Pause()>& round);

    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    bool woken_ = false;
    std::thread thread_;
};

}  // namespace merpati
