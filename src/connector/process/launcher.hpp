// The launcher: runs a worker for the gateway at the other end of a connection.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/child.hpp"

namespace merpati::connector::process {

struct LauncherOptions {
    /// Asked when there is an order. Errors: with a sentence for the operator.
    std::function<Result<Program>()> program;
    /// Whether it could be run, and as what. Errors: with a sentence for the operator.
    std::function<Result<std::string>()> examine;

    Millis order_within{10'000};
    Millis memory_every{2'000};
};

/// Takes the order that comes first on `connection`, runs the worker, and returns when it has ended
/// with all that it started: by itself, because it took too much memory, or because the other side
/// of the connection ended. Where this process is killed the worker is too.
///
/// Threads: none. Errors: with a sentence for the operator; what became of the worker is none.
[[nodiscard]] Result<void> launch(const FileDescriptor& connection, const LauncherOptions& options);

}  // namespace merpati::connector::process
