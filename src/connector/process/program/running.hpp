// The interface of a running worker program, whether a child process or run by a launcher.
#pragma once

#include <cstdint>
#include <string>

#include "connector/process/program/confinement.hpp"

namespace merpati::connector::process {

/// The `take_*` functions return a non-blocking descriptor and pass its ownership to the caller.
///
/// Threads: none.
class Running {
public:
    virtual ~Running() = default;

    /// Makes the worker and all that it started end. Does not wait; ask `reap`. Idempotent.
    virtual void kill() noexcept = 0;

    /// How the worker ended, in words; empty while it runs. Does not wait.
    [[nodiscard]] virtual std::string reap() = 0;
    /// Valid once `reap` returned a text; -1: it was killed by a signal, or never ran.
    [[nodiscard]] virtual int exit_code() const noexcept = 0;

    /// Why the worker must not be trusted with anything; empty: it may. Call it after the worker's
    /// first line.
    [[nodiscard]] virtual std::string objection() { return {}; }

    /// The confinement that it was started with, as the kernel gave it. Of a worker that a launcher
    /// runs it is known when the launcher has reported it.
    [[nodiscard]] virtual Confinement confinement() const noexcept = 0;

    /// The resident memory, in bytes, of the worker and all that it started; 0: unknown, or watched
    /// by the launcher. A result up to `enough` is not exact.
    [[nodiscard]] virtual std::uint64_t memory(std::uint64_t enough) const = 0;

    /// The protocol's socket.
    [[nodiscard]] virtual int take_socket() noexcept = 0;
    /// The pipe of its standard output and error.
    [[nodiscard]] virtual int take_output() noexcept = 0;
    /// Becomes readable when `reap` may return a text; -1: the system offers no such descriptor.
    [[nodiscard]] virtual int take_end() noexcept = 0;

protected:
    Running() = default;
    Running(const Running&) = default;
    Running& operator=(const Running&) = default;
};

}  // namespace merpati::connector::process
