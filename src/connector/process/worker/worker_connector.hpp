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
class WorkerConnector final : public Connector {
public:
    WorkerConnector(const Clock& clock, Random& random, Options options, telemetry::Log log);
    ~WorkerConnector() override;

    [[nodiscard]] CapabilitiesPtr capabilities() const override;
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override;
    [[nodiscard]] Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override;
    void stop() override;
    /// Whether a worker runs that has said hello.
    [[nodiscard]] bool has_worker() const;
    [[nodiscard]] std::string trouble() const override;
    void start_device(const model::Device& device, std::string_view pairing_method) override;
    void answer_pairing(model::PhoneNumber device, std::string_view answer,
                        Settled settled) override;
    void stop_device(model::PhoneNumber device) override;
    [[nodiscard]] bool keeps_secrets() const override { return true; }
    void settle_device(model::PhoneNumber device, Settled settled) override;
    void forget_device(model::PhoneNumber device) override;
    void after_reports(std::move_only_function<void()> done) override;
    void fetch_media(MediaRequest request, MediaFetched done) override;
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override;
    void send(const SendRequest& request) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::connector::process
