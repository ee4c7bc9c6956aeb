// The whole gateway: builds the rooms, joins them, starts and stops them in order.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Operation: `start` opens the store, recovers what waits, connects the devices and only then
/// listens. `stop` goes the other way: no new requests, then no new sends, then no new callbacks,
/// each after what is under way has come to its end or its deadline; the store is closed last.
///
/// Faults: when the store cannot commit, the process ends at once with exit code 74 (EX_IOERR), and
/// nobody is answered.
class Gateway {
public:
    Gateway(const Clock& clock, Random& random, const config::Settings& settings,
            telemetry::Log log);
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
    const telemetry::Log log_;
    std::unique_ptr<Rooms> rooms_;
};

}  // namespace merpati::daemon
