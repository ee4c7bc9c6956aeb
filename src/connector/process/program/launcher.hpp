// The launcher: runs a worker for the gateway that connected to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/program/child.hpp"

namespace merpati::connector::process {

struct LauncherOptions {
    /// The program to run; called when an order comes. Errors: with a sentence for the operator.
    std::function<Result<Program>()> program;
    /// Describes the program if it could be run. Errors: with a sentence for the operator.
    std::function<Result<std::string>()> examine;

    Millis order_within{10'000};
    Millis memory_every{2'000};
};

/// Reads the order, the first packet on `connection`, and runs the worker. Returns when the worker
/// and all that it started have ended: by itself, because it took too much memory, or because the
/// gateway closed its side. If this process is killed, the kernel kills the worker.
///
/// Threads: none. Errors: with a sentence for the operator. How the worker ends is no error of this
/// function.
[[nodiscard]] Result<void> launch(const FileDescriptor& connection, const LauncherOptions& options);

}  // namespace merpati::connector::process
