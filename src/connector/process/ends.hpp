// What a worker is given, and what is kept of it.
#pragma once

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// Both are closed when another program is started.
struct Ends {
    FileDescriptor ours;  // Does not block.
    FileDescriptor its;
};

/// Of the protocol's socket, and of the pipe for what the worker prints: ours is read.
struct WorkerEnds {
    Ends socket;
    Ends output;
};

/// Errors: io_failed, with a sentence for the operator.
[[nodiscard]] Result<WorkerEnds> worker_ends();

}  // namespace merpati::connector::process
