// A worker that a launcher runs for us, as another user.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "connector/process/launch.hpp"
#include "connector/process/running.hpp"

namespace merpati::connector::process {

/// Which launcher, and what it must be.
struct LauncherPlace {
    std::string path;  // Of its socket, made by root or by us.
    /// Whether one that runs as us, or as root, will do.
    bool any_user = false;
};

/// Operation: the connection is its life. `kill` ends our side of it; the launcher then ends the
/// worker, which may be another user's to signal, says how it ended, and closes. A launcher that
/// does not within end_within counts as ended: its worker has lost its socket, and whoever starts
/// services has to end it.
///
/// Memory: the launcher watches it.
class Launched final : public Running {
public:
    static constexpr Millis end_within{30'000};

    /// Errors: with a sentence for the operator; unreachable (no socket, nobody listens), forbidden
    /// (we may not connect, or the socket is somebody else's), busy, io_failed.
    [[nodiscard]] static Result<Launched> start(const Clock& clock, const LauncherPlace& place,
                                                const LaunchOrder& order);

    void kill() noexcept override;
    [[nodiscard]] std::string reap() override;
    [[nodiscard]] int exit_code() const noexcept override { return last_.exit_code; }
    /// Of a user that has the rights of ours.
    [[nodiscard]] std::string objection() override;
    [[nodiscard]] std::uint64_t memory(std::uint64_t /*enough*/) const override { return 0; }
    [[nodiscard]] int take_socket() noexcept override { return socket_.release(); }
    [[nodiscard]] int take_output() noexcept override { return output_.release(); }
    [[nodiscard]] int take_end() noexcept override;

    /// Of an examination that `reap` says is over: what was found.
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
    std::string broken_;  // Why nothing more is read; empty: it is.
    std::optional<SteadyTime> end_by_;
};

}  // namespace merpati::connector::process
