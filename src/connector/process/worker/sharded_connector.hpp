// A connector whose devices are shared among several workers of the same program.
#pragma once

#include <memory>
#include <vector>

#include "connector/process/worker/worker_connector.hpp"

namespace merpati::connector::process {

/// Operation: each number belongs to one worker, always the same for a count of workers. A worker
/// that hangs, is killed or takes too much memory concerns its own devices only. Limits, budgets
/// and the rate of starts are those of each worker.
///
/// `capabilities` are those of a worker that runs; all run the same program. `trouble` names the
/// workers that cannot work.
///
/// Threads: one for each worker.
class ShardedConnector final : public Connector {
public:
    /// At least one.
    explicit ShardedConnector(std::vector<std::unique_ptr<WorkerConnector>> workers);

    [[nodiscard]] CapabilitiesPtr capabilities() const override;
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override {
        return of(device).first_state(device);
    }
    [[nodiscard]] Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override;
    void stop() override;
    [[nodiscard]] std::string trouble() const override;
    void start_device(const model::Device& device, std::string_view pairing_method) override {
        of(device.number).start_device(device, pairing_method);
    }
    void answer_pairing(model::PhoneNumber device, std::string_view answer,
                        Settled settled) override {
        of(device).answer_pairing(device, answer, std::move(settled));
    }
    void stop_device(model::PhoneNumber device) override { of(device).stop_device(device); }
    void forget_device(model::PhoneNumber device) override { of(device).forget_device(device); }
    [[nodiscard]] bool keeps_secrets() const override { return workers_.front()->keeps_secrets(); }
    void settle_device(model::PhoneNumber device, Settled settled) override {
        of(device).settle_device(device, std::move(settled));
    }
    void after_reports(std::move_only_function<void()> done) override;
    void fetch_media(MediaRequest request, MediaFetched done) override {
        auto& worker = of(request.device);
        worker.fetch_media(std::move(request), std::move(done));
    }
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override {
        of(device).check_number(device, std::move(number), std::move(done));
    }
    void send(const SendRequest& request) override { of(request.message.device).send(request); }

    /// The index of the worker that serves the number.
    [[nodiscard]] static std::size_t shard_of(model::PhoneNumber number, std::size_t workers);

private:
    [[nodiscard]] WorkerConnector& of(model::PhoneNumber number) const {
        return *workers_[shard_of(number, workers_.size())];
    }

    const std::vector<std::unique_ptr<WorkerConnector>> workers_;
};

}  // namespace merpati::connector::process
