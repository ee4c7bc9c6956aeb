// A thread that works in rounds, with pauses that its end cuts short.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace merpati {

/// Operation: after the first pause come a round, the pause that it asks for, a round, and so on,
/// until `stop`.
///
/// Threads: `start` and `stop` of its owner, which outlives it; `wake` from any, rounds too.
class PeriodicThread {
public:
    using Pause = std::optional<std::chrono::milliseconds>;  // Empty: until `wake`.

    PeriodicThread() = default;
    ~PeriodicThread() { stop(); }
    PeriodicThread(const PeriodicThread&) = delete;
    PeriodicThread& operator=(const PeriodicThread&) = delete;

    /// Once. The name as of `start_thread`.
    void start(const std::string& name, Pause first, std::function<Pause()> round);

    /// Ends a pause that has no end of its own: the one now, or the next one.
    void wake();

    /// Ends the pause, and waits for the round that runs: there is no other one. Idempotent.
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
