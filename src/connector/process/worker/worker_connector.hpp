// A connector that runs a separate program, its worker.
#pragma once

#include <memory>

#include "base/random.hpp"
#include "connector/connector.hpp"
#include "connector/process/options.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::process {

/// Runs a worker and speaks the connector protocol with it (docs/connector-protocol.md).
///
/// Operation: calls of the gateway are posted to one event thread, which does everything. A worker
/// that ends is started again (Supervisor); its unanswered sends are reported as unknown, and its
/// devices are `reconnecting` until then. `start` never fails: a missing program may be installed
/// later. `stop` waits for the worker's end for at most shutdown_within and killed_within; sends
/// that are not answered by then are reported as unknown.
///
/// Threads: one of its own, with the connector's name. Limits: Inbox, Channel, Worker.
class WorkerConnector : public Connector {
public:
    /// Whether a worker runs that has said hello.
    [[nodiscard]] virtual bool has_worker() const = 0;
};

[[nodiscard]] std::unique_ptr<WorkerConnector> make_worker_connector(const Clock& clock,
                                                                     Random& random,
                                                                     Options options,
                                                                     telemetry::Log log);

}  // namespace merpati::connector::process
