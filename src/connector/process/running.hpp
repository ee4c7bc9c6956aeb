// A worker's program while it runs, wherever.
#pragma once

#include <cstdint>
#include <string>

namespace merpati::connector::process {

/// Descriptors that are taken do not block, and are the caller's from then on.
///
/// Threads: none.
class Running {
public:
    virtual ~Running() = default;

    /// Ends the worker and whatever it started. Idempotent.
    virtual void kill() noexcept = 0;

    /// Empty while it runs; once it ended, how, in words.
    [[nodiscard]] virtual std::string reap() = 0;
    /// Once `reap` said so; -1: it was killed by a signal, or never ran.
    [[nodiscard]] virtual int exit_code() const noexcept = 0;

    /// Why it must not be told anything; empty: it may. Known once it said something.
    [[nodiscard]] virtual std::string objection() { return {}; }

    /// The resident memory, in bytes, of it and of all that it started; 0: not known, or watched by
    /// somebody else. At most `enough`: not exact.
    [[nodiscard]] virtual std::uint64_t memory(std::uint64_t enough) const = 0;

    /// The protocol's socket.
    [[nodiscard]] virtual int take_socket() noexcept = 0;
    /// What it writes to standard output and error.
    [[nodiscard]] virtual int take_output() noexcept = 0;
    /// Can be read when `reap` may have news; -1: the system has none.
    [[nodiscard]] virtual int take_end() noexcept = 0;

protected:
    Running() = default;
    Running(const Running&) = default;
    Running& operator=(const Running&) = default;
};

}  // namespace merpati::connector::process
