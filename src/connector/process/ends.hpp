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

/// For the protocol. Errors: io_failed, with a sentence for the operator.
[[nodiscard]] Result<Ends> socket_ends();
/// For what it prints: ours is read. Errors: as above.
[[nodiscard]] Result<Ends> output_ends();

}  // namespace merpati::connector::process
