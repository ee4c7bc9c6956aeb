// The worker's program as a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/running.hpp"
#include "connector/process/sandbox.hpp"
#include "connector/process/session.hpp"

namespace merpati::connector::process {

struct Program {
    std::vector<std::string> command;  // The program, by its path or found in `path`; arguments.
    std::string path;                  // The worker's PATH.
    std::vector<std::string> environment;  // NAME=VALUE: what it gets besides PATH and LANG.
    std::string folder = "/";              // Where it runs.
    Sandbox sandbox;
    std::uint64_t memory_max = 0;  // What it may have, so that a limit of the system's fits.
    /// Of each file that it writes, where it is confined; beyond them the system ends it. 0: none.
    std::uint64_t file_bytes_max = 0;
};

/// A program that runs with nothing of ours but a socket (its descriptor 3) and a pipe (standard
/// output and error): a clean environment, a session of its own, no new privileges, no core dumps.
/// It dies with the thread that started it.
///
/// Threads: none. The one that starts it must live as long as it.
class Child final : public Running {
public:
    /// Errors: not_found (no such program), io_failed; with a sentence for the operator.
    [[nodiscard]] static Result<Child> start(const Program& program);
    /// With a socket and a pipe that somebody else holds the other ends of: nothing can be taken.
    [[nodiscard]] static Result<Child> start(const Program& program, FileDescriptor socket,
                                             FileDescriptor output);

    Child(Child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)),
          exit_code_(other.exit_code_),
          socket_(std::move(other.socket_)),
          output_(std::move(other.output_)),
          end_(std::move(other.end_)) {}
    Child& operator=(Child&&) = delete;
    /// Kills it, and waits for its end.
    ~Child() override;

    void kill() noexcept override;
    [[nodiscard]] std::string reap() override;
    [[nodiscard]] int exit_code() const noexcept override { return exit_code_; }
    /// A process that begins a session of its own is not counted, nor ended by `kill`.
    [[nodiscard]] std::uint64_t memory(std::uint64_t enough) const override {
        return pid_ > 0 ? session_memory(pid_, enough) : 0;
    }
    [[nodiscard]] int take_socket() noexcept override { return socket_.release(); }
    [[nodiscard]] int take_output() noexcept override { return output_.release(); }
    [[nodiscard]] int take_end() noexcept override { return end_.release(); }

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

private:
    Child(pid_t pid, FileDescriptor end) : pid_(pid), end_(std::move(end)) {}

    pid_t pid_ = 0;  // 0: reaped, or moved away.
    int exit_code_ = -1;
    FileDescriptor socket_;
    FileDescriptor output_;
    FileDescriptor end_;
};

/// The program's file as it would be started. Errors: not_found.
[[nodiscard]] Result<std::string> find_program(const std::string& name, const std::string& path);

}  // namespace merpati::connector::process
