// The processes of a worker's session: the worker and what it started.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// A descriptor (pidfd) of the process, which becomes readable when the process has ended. It never
/// refers to another process with the same number. -1: the process is gone, or the system has no
/// pidfds.
[[nodiscard]] FileDescriptor descriptor_of(pid_t process) noexcept;

// `leader` is the process that began the session. Processes that its members start belong to the
// session, unless they begin one of their own. A process that cannot be read counts as nothing.

/// The resident memory of all members, in bytes. A result up to `enough` is the plain sum over the
/// processes. Above it, shared memory is counted once, where the system tells how much is shared.
[[nodiscard]] std::uint64_t session_memory(pid_t leader, std::uint64_t enough);

/// A sentence if `bytes` is more than `allowed`; otherwise empty.
[[nodiscard]] std::string excess_of(std::uint64_t bytes, std::uint64_t allowed);

/// Sends SIGKILL to all members, of all process groups.
void kill_session(pid_t leader) noexcept;

}  // namespace merpati::connector::process
