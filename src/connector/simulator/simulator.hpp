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
    std::chrono::milliseconds latency{5};  // How long a send takes, and each later report.
    std::chrono::milliseconds step{500};   // From one pairing step to the next, and how long a
                                           // worker that died is gone.
    std::filesystem::path log;             // Empty: none. One JSON line per attempt.
    bool dedupe = false;                   // Recognise a repeated message id; needs `log` to
                                           // remember across restarts.
    std::size_t window = 256;              // Sends in flight per device.
    std::function<void(const std::string&)> on_trouble;  // Called when the log cannot be written.
};

/// Acts out everything that a platform can do, and sends to nobody. What becomes of a message is
/// decided by the end of its recipient (recipients.hpp), how a device is paired by the end of its
/// number (pairing.hpp); other devices are connected at once.
///
/// Operation: an attempt takes `latency`, is appended to the log, and only then reported: whatever
/// was reported is in the log. Attempts that end together are written together. A report that is
/// refused as busy is made again. A device that was paired keeps a secret, and connects by it.
///
/// Threads: one of its own; with no latency and no log it reports outcomes from within `send`.
class Simulator final : public Connector {
public:
    Simulator(const Clock& clock, Options options);
    ~Simulator() override;

    [[nodiscard]] CapabilitiesPtr capabilities() const override;
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber device) const override;
    [[nodiscard]] Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override;
    void stop() override;
    void start_device(const model::Device& device, std::string_view pairing_method) override;
    void answer_pairing(model::PhoneNumber device, std::string_view answer) override;
    void stop_device(model::PhoneNumber device) override;
    void forget_device(model::PhoneNumber device) override;
    void fetch_media(MediaRequest request, MediaFetched done) override;
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override;
    void send(const SendRequest& request) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::connector::simulator
