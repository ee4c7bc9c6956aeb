// The whole gateway: builds the rooms, joins them, starts and stops them in order.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Whoever started the process and watches over it: systemd, or nobody.
struct Supervisor {
    std::string notify_socket;  // $NOTIFY_SOCKET
    /// Within how long it wants to hear that the server is alive.
    std::optional<std::chrono::microseconds> watchdog{};
};

/// Operation: `start` opens the store, recovers what waits, connects the devices and only then
/// listens. `stop` goes the other way: no new requests, then no new sends; the outcomes of those
/// under way are waited for, then asked of the connectors, and committed; then the last answers and
/// callbacks; the store is closed last. Each step has a deadline; what missed it is decided at the
/// next start.
///
/// Watchdog: notified only while the store's thread and the scheduler answer; see health.hpp.
///
/// Faults: when the store cannot commit or checkpoint, the process ends at once with exit code 74
/// (EX_IOERR), with 65 (EX_DATAERR) where it is damaged so that nothing can be written; nobody is
/// answered. Smaller damage and a full disk show in readiness; see store/condition.hpp.
class Gateway {
public:
    static constexpr int exit_store_failed = 74;
    static constexpr int exit_store_damaged = 65;

    Gateway(const Clock& clock, Random& random, const config::Settings& settings,
            Supervisor supervisor, telemetry::Log log);
    ~Gateway();

    /// Errors: whatever keeps a room from starting, with a sentence for the operator.
    [[nodiscard]] Result<void> start();

    /// Idempotent.
    void stop();

private:
    class Rooms;
    const Clock& clock_;
    Random& random_;
    const config::Settings settings_;
    const Supervisor supervisor_;
    const telemetry::Log log_;
    std::unique_ptr<Rooms> rooms_;
};

}  // namespace merpati::daemon
