// Runs the worker's program as a child process.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/program/confinement.hpp"
#include "connector/process/program/running.hpp"
#include "connector/process/program/sandbox.hpp"
#include "connector/process/program/session.hpp"

namespace merpati::connector::process {

struct Program {
    std::vector<std::string> command;      // The program (a path, or a name in `path`), arguments.
    std::string path;                      // The worker's PATH.
    std::vector<std::string> environment;  // NAME=VALUE, besides PATH and LANG.
    std::string folder = "/";              // The working directory.
    Sandbox sandbox;
    std::uint64_t memory_max = 0;  // The system's limit is four times as much. 0: none.
    /// The largest file that a confined worker may write; the system ends one that writes more.
    /// 0: no limit.
    std::uint64_t file_bytes_max = 0;
};

/// The program inherits only a socket (its descriptor 3) and a pipe (standard output and error). It
/// has a clean environment, a session of its own, no new privileges and no core dumps. The kernel
/// kills it when the thread that started it ends.
///
/// Threads: none. The thread that calls `start` must live as long as the program.
class Child final : public Running {
public:
    /// Errors: not_found (no such program), io_failed; with a sentence for the operator.
    [[nodiscard]] static Result<Child> start(const Program& program);
    /// The same with ends of a socket and a pipe whose other ends belong to somebody else:
    /// take_socket and take_output then return -1.
    [[nodiscard]] static Result<Child> start(const Program& program, FileDescriptor socket,
                                             FileDescriptor output);

    Child(Child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)),
          exit_code_(other.exit_code_),
          confinement_(other.confinement_),
          socket_(std::move(other.socket_)),
          output_(std::move(other.output_)),
          end_(std::move(other.end_)) {}
    Child& operator=(Child&&) = delete;
    /// Kills the program and waits for its end.
    ~Child() override;

    void kill() noexcept override;
    [[nodiscard]] std::string reap() override;
    [[nodiscard]] int exit_code() const noexcept override { return exit_code_; }
    [[nodiscard]] Confinement confinement() const noexcept override { return confinement_; }
    /// Processes that began a session of their own, which a confined program cannot, are neither
    /// counted nor ended by `kill`.
    [[nodiscard]] std::uint64_t memory(std::uint64_t enough) const override {
        return pid_ > 0 ? session_memory(pid_, enough) : 0;
    }
    [[nodiscard]] int take_socket() noexcept override { return socket_.release(); }
    [[nodiscard]] int take_output() noexcept override { return output_.release(); }
    [[nodiscard]] int take_end() noexcept override { return end_.release(); }

private:
    Child(pid_t pid, Confinement confinement, FileDescriptor end)
        : pid_(pid), confinement_(confinement), end_(std::move(end)) {}

    pid_t pid_ = 0;  // 0: reaped, or moved away.
    int exit_code_ = -1;
    Confinement confinement_;
    FileDescriptor socket_;
    FileDescriptor output_;
    FileDescriptor end_;
};

/// The path of the program that `name` would start. Errors: not_found.
[[nodiscard]] Result<std::string> find_program(const std::string& name, const std::string& path);

}  // namespace merpati::connector::process
