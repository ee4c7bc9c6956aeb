// The system calls that a confined worker may make.
#pragma once

namespace merpati::connector::process {

/// Installs a permanent system-call filter (seccomp) for this process and all that it starts. It
/// forbids what would reach others:
/// - new Unix sockets (so also the gateway's management socket and abstract sockets), except pairs
///   of connected streams: the two ends of a pair of datagram sockets can be sent to any address;
/// - signals to any process but this one and its process group, also those that the kernel would
///   send for it (the owner of a descriptor);
/// - limits, priorities, affinity and schedulers of processes, tracing, and the memory of others;
/// - sessions and name spaces of its own, so that whatever it starts is found in its session;
/// - changes of files that Landlock protects only from being opened: truncate(2), modes, owners,
///   times, extended attributes;
/// - io_uring, which bypasses the filter.
///
/// Forbidden calls fail with EPERM; sockets that are open already still work. Needs
/// no_new_privs. Safe after a fork. False: the kernel has no such filters, or the machine is
/// neither x86-64 nor aarch64.
[[nodiscard]] bool forbid_calls() noexcept;

}  // namespace merpati::connector::process
