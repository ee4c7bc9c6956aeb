// Creates the ends of the socket and of the pipe between the gateway and a worker.
#pragma once

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// Both are close-on-exec.
struct Ends {
    FileDescriptor ours;  // Non-blocking.
    FileDescriptor its;
};

/// The ends of the protocol's socket, and of the pipe for the worker's output, which we read.
struct WorkerEnds {
    Ends socket;
    Ends output;
};

/// Errors: io_failed, with a sentence for the operator.
[[nodiscard]] Result<WorkerEnds> worker_ends();

}  // namespace merpati::connector::process
