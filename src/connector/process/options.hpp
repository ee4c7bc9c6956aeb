// The options of a connector that runs a worker.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "connector/process/program/launched.hpp"
#include "connector/process/program/sandbox.hpp"

namespace merpati::connector::process {

struct Options {
    std::string name;  // The connector's name.
    /// The launcher that runs the worker, with a command, sandbox, environment and folder of its
    /// own. An empty path: the gateway runs the worker, with those that follow.
    LauncherPlace launcher;
    /// Called before each start. Errors: with a sentence for the operator.
    std::function<Result<std::vector<std::string>>()> command;
    /// The files that this command may open; empty: all that its user may open.
    std::function<Sandbox(const std::vector<std::string>& command)> sandbox;
    std::map<std::string, std::string> config;  // Given to the worker in `hello`.
    std::string path = "/usr/local/bin:/usr/bin:/bin";
    std::vector<std::string> environment;  // NAME=VALUE, besides PATH and LANG.
    std::string folder = "/";              // The working directory.
    std::string gateway_version;
    std::uint64_t memory_max = std::uint64_t{512} << 20;
    std::uint64_t file_bytes_max = 0;  // Program::file_bytes_max.
    /// Whether the worker is started only when a device is to be connected.
    bool on_demand = false;
    /// How many devices may begin to connect in a second.
    std::size_t starts_per_second = 100;
    Capabilities expected;  // Used until a worker reports its own.

    // Times of docs/connector-protocol.md; tests use shorter ones.
    Millis tick{250};
    Millis hello_within{30'000};
    Millis send_within{120'000};
    Millis answer_within{60'000};
    Millis fetch_within{120'000};
    Millis ping_every{10'000};
    Millis ping_within{30'000};
    Millis back_off_first{1'000};
    Millis back_off_max{60'000};
    Millis healthy_after{60'000};
    Millis shutdown_within{5'000};
    Millis killed_within{5'000};  // How long `stop` waits for the end of a killed worker.
};

}  // namespace merpati::connector::process
