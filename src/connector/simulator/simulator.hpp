// A simulated platform, for trials, tests and benchmarks.
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
    std::chrono::milliseconds step{500};   // Between pairing steps, before a dead worker is back,
                                           // and before a busy report is repeated.
    std::filesystem::path log;             // Empty: none. One JSON line for each attempt.
    bool dedupe = false;                   // Recognise a repeated message id; across restarts
                                           // only with `log`.
    std::size_t window = 256;              // Sends in flight per device.
    std::function<void(const std::string&)> on_trouble;  // Called when the log cannot be written.
};

/// Makes a connector that simulates everything that a platform can do, and sends nothing. The last
/// digits of a recipient decide what happens to a message (recipients.hpp), those of a device's
/// number how it is paired (pairing.hpp); other devices connect at once.
///
/// Operation: an attempt takes `latency`, is appended to the log, and is then reported, so every
/// reported attempt is in the log. Attempts that end together are written together. A status or
/// message that is refused as busy is reported again. A paired device keeps a secret and reconnects
/// with it.
///
/// Threads: one of its own; with no latency and no log, outcomes are reported from within `send`.
[[nodiscard]] std::unique_ptr<Connector> make_simulator(const Clock& clock, Options options);

}  // namespace merpati::connector::simulator
