// Checks whether the server can do its work, for /readyz and for systemd's watchdog.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/monitoring.hpp"
#include "base/clock.hpp"
#include "base/periodic_thread.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

class Node;

struct HealthOptions {
    std::chrono::milliseconds every{2'000};      // Between two checks.
    std::chrono::milliseconds patience{10'000};  // A thread silent for longer counts as hung.
};

/// Why the store may soon refuse writes, or accounts are served by nobody; empty: no trouble. A
/// store that cannot commit is not reported here, because it ends the process. `node`: null if no
/// other process can share the store.
[[nodiscard]] std::string trouble_of(const store::Store& store, const store::Committer& committer,
                                     const Node* node);

/// Operation: periodically posts a probe to the committer's thread and to the scheduler's, and
/// checks the store's condition. `unready` reports the store's trouble at the last check, and
/// threads that have been silent for too long. It waits for no thread, so /readyz is cheap and
/// never hangs.
///
/// Threads: one of its own; `unready` and `enter` from any.
class Health {
public:
    /// Posts `answer` to the watched thread, which calls it in its next round.
    using Ask = std::function<void(std::move_only_function<void()> answer)>;

    struct Watched {
        Ask store;
        Ask scheduler;
        /// Why the store may soon refuse writes; empty: no trouble. May block for a moment.
        std::function<std::string()> store_trouble;
    };

    enum class Stage : std::uint8_t { starting, serving, stopping };

    Health(const Clock& clock, Watched watched, HealthOptions options, telemetry::Log log);

    /// Called in each check that finds all threads alive. Set before `start`.
    std::function<void()> on_alive;

    void start();
    void stop() { thread_.stop(); }

    void enter(Stage stage) { stage_ = stage; }
    void connectors_started() { connectors_started_ = true; }

    [[nodiscard]] std::vector<api::Unready> unready() const;

    /// Runs one check. Called by the thread, and by tests.
    void check();

private:
    /// Shared with the posted probe, which may be answered after this object is gone.
    struct LastAnswer {
        std::atomic<SteadyTime> at;
        std::atomic<bool> asked{false};
    };
    struct Watch {
        std::string_view part;
        Ask ask;
        std::shared_ptr<LastAnswer> last_answer = std::make_shared<LastAnswer>();
    };

    [[nodiscard]] std::vector<std::string_view> silent() const;
    void report();

    const Clock& clock_;
    const HealthOptions options_;
    const telemetry::Log log_;
    const std::array<Watch, 2> watches_;
    const std::function<std::string()> find_store_trouble_;
    std::atomic<Stage> stage_{Stage::starting};
    std::atomic<bool> connectors_started_{false};
    std::string reported_;

    mutable std::mutex mutex_;
    std::string store_trouble_;
    PeriodicThread thread_;  // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
