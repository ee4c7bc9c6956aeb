// A platform that is not there: for trying everything out, for tests and for benchmarks.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::simulator {

struct Options {
    std::chrono::milliseconds latency{5};  // How long a send takes.
    std::filesystem::path log;             // Empty: none. One JSON line per attempt.
    bool dedupe = false;                   // Recognise a repeated message id; needs `log` to
                                           // remember across restarts.
    std::size_t window = 256;              // Sends in flight per device.
    std::function<void(const std::string&)> on_trouble;  // Told when the log cannot be written.
};

/// Connects every device at once and sends to nobody. What becomes of a message is decided by the
/// end of its recipient (recipients.hpp), so that every outcome can be tried.
///
/// Operation: an attempt takes `latency`, is appended to the log, and only then reported: whatever
/// was reported is in the log. Attempts that end together are written together.
///
/// Threads: one of its own; with no latency and no log it reports from within `send`.
class Simulator final : public Connector {
public:
    Simulator(const Clock& clock, Options options);
    ~Simulator() override;

    [[nodiscard]] CapabilitiesPtr capabilities() const override;
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override;
    [[nodiscard]] Result<void> start(ConnectorEvents& events) override;
    void stop() override;
    void start_device(const model::Device& device, std::string_view pairing_method) override;
    void answer_pairing(model::PhoneNumber device, std::string_view answer) override;
    void stop_device(model::PhoneNumber device) override;
    void forget_device(model::PhoneNumber device) override;
    void send(const SendRequest& request) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::connector::simulator
