// Does for tests what systemd does with Accept=yes: starts a launcher for each connection.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "connector/process/program/launcher.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::process {

/// A process that accepts connections, and a child of it for each connection, which ends when its
/// worker has ended. All end with this object.
class LauncherHost {
public:
    /// Runs as `user` if that is not empty; only root can change the user.
    explicit LauncherHost(LauncherOptions options, std::optional<uid_t> user = {});
    /// Runs `serve` for each connection instead of a launcher.
    using Serve = std::function<void(const FileDescriptor& connection)>;
    explicit LauncherHost(Serve serve, std::optional<uid_t> user = {});
    ~LauncherHost();
    LauncherHost(const LauncherHost&) = delete;
    LauncherHost& operator=(const LauncherHost&) = delete;

    [[nodiscard]] std::string path() const { return folder_.file("worker.sock"); }

private:
    [[noreturn]] void accept_all(const FileDescriptor& listener, std::optional<uid_t> user) const;

    testing::TemporaryFolder folder_;
    const Serve serve_;
    pid_t pid_ = 0;
};

/// A socket that listens at `path`; the caller accepts.
[[nodiscard]] FileDescriptor listen_at(const std::string& path);

}  // namespace merpati::connector::process
