// The processes that a worker is made of: it, and what it started.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// A process, also when another gets its number: it can be read once it has ended. -1: it is gone,
/// or the system has none.
[[nodiscard]] FileDescriptor descriptor_of(pid_t process) noexcept;

// `leader` began a session, and is its name. What its processes start is of the session too, save
// what begins one of its own. Errors: what cannot be read counts as nothing.

/// What they have in memory, in bytes. At most `enough`: a rough figure, the sum over processes.
/// Above it: what they share counts once, where the system tells.
[[nodiscard]] std::uint64_t session_memory(pid_t leader, std::uint64_t enough);

/// That it is too much, in words; empty: it is not.
[[nodiscard]] std::string excess_of(std::uint64_t bytes, std::uint64_t allowed);

/// SIGKILL to all of them, also to those that are in other process groups.
void kill_session(pid_t leader) noexcept;

}  // namespace merpati::connector::process
