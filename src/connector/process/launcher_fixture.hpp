// Does for tests what systemd does with Accept=yes: a launcher of its own for each connection.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "connector/process/launcher.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::process {

/// A process that accepts, and a process for each connection, which ends when its worker has. They
/// end with it.
class LauncherHost {
public:
    /// As that user, where it is not empty; only root can be another.
    explicit LauncherHost(LauncherOptions options, std::optional<uid_t> user = {});
    ~LauncherHost();
    LauncherHost(const LauncherHost&) = delete;
    LauncherHost& operator=(const LauncherHost&) = delete;

    [[nodiscard]] std::string path() const { return folder_.file("worker.sock"); }

private:
    [[noreturn]] void serve(const FileDescriptor& listener, std::optional<uid_t> user) const;

    testing::TemporaryFolder folder_;
    LauncherOptions options_;
    pid_t pid_ = 0;
};

/// Listens there, and accepts nothing by itself.
[[nodiscard]] FileDescriptor listen_at(const std::string& path);

}  // namespace merpati::connector::process
