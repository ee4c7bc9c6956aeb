// A worker that a launcher runs for the gateway, as another user.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/codec/launch.hpp"
#include "connector/process/program/running.hpp"

namespace merpati::connector::process {

/// Where a launcher listens, and which user it must have.
struct LauncherPlace {
    std::string path;  // Its socket, which root or our own user must have created.
    /// Whether a launcher that runs as root or as our own user is accepted; for tests.
    bool any_user = false;
};

/// Operation: the worker lives as long as the connection to its launcher. `kill` closes our side of
/// it, because we may not signal another user's process. The launcher then ends the worker, reports
/// how it ended, and closes. A launcher that does not do so within end_within counts as ended: the
/// worker has lost its socket, and the service manager has to end it.
///
/// Memory: the launcher watches it, so `memory` is always 0.
class Launched final : public Running {
public:
    static constexpr Millis end_within{30'000};

    /// Errors, with a sentence for the operator: unreachable (no socket, nobody listens), forbidden
    /// (no right to connect, or the socket is another user's), invalid_argument (the path is too
    /// long), busy, io_failed.
    [[nodiscard]] static Result<Launched> start(const Clock& clock, const LauncherPlace& place,
                                                const LaunchOrder& order);

    void kill() noexcept override;
    [[nodiscard]] std::string reap() override;
    [[nodiscard]] int exit_code() const noexcept override { return last_.exit_code; }
    /// Why the launcher's user is not acceptable: not known, root, or our own.
    [[nodiscard]] std::string objection() override;
    [[nodiscard]] Confinement confinement() const noexcept override { return confinement_; }
    [[nodiscard]] std::uint64_t memory(std::uint64_t /*enough*/) const override { return 0; }
    [[nodiscard]] int take_socket() noexcept override { return socket_.release(); }
    [[nodiscard]] int take_output() noexcept override { return output_.release(); }
    [[nodiscard]] int take_end() noexcept override;

    /// The result of an examination, once `reap` returns that it has ended.
    [[nodiscard]] const LaunchReport& last_report() const noexcept { return last_; }
    /// The user of the launcher; empty: not known yet.
    [[nodiscard]] std::optional<uid_t> user() const noexcept { return user_; }

private:
    Launched(const Clock& clock, const LauncherPlace& place, FileDescriptor connection)
        : clock_(&clock), place_(place), connection_(std::move(connection)) {}

    void read();
    void take(const LaunchReport& report, std::optional<uid_t> sender);

    const Clock* clock_;
    LauncherPlace place_;
    FileDescriptor connection_;
    FileDescriptor socket_;
    FileDescriptor output_;
    LaunchReport last_;
    std::optional<uid_t> user_;
    Confinement confinement_;
    std::string broken_;  // Why the connection has ended; empty: it has not.
    std::optional<SteadyTime> end_by_;
};

}  // namespace merpati::connector::process
