#include "connector/process/program/launcher_fixture.hpp"

#include <csignal>
#include <cstring>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.hpp"

namespace merpati::connector::process {

LauncherHost::LauncherHost(LauncherOptions options, std::optional<uid_t> user)
    : LauncherHost(
          [options = std::move(options)](const FileDescriptor& connection) {
              (void)launch(connection, options);  // The gateway's side shows what failed.
          },
          user) {}

LauncherHost::LauncherHost(Serve serve, std::optional<uid_t> user) : serve_(std::move(serve)) {
    const auto listener = listen_at(path());
    pid_ = ::fork();
    invariant(pid_ >= 0, "a process can be made");
    if (pid_ == 0) {
        accept_all(listener, user);
    }
}

LauncherHost::~LauncherHost() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void LauncherHost::accept_all(const FileDescriptor& listener, std::optional<uid_t> user) const {
    ::signal(SIGCHLD, SIG_IGN);  // The kernel reaps the launchers.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (user) {
        const bool changed =
            ::setgroups(0, nullptr) == 0 && ::setgid(*user) == 0 && ::setuid(*user) == 0;
        invariant(changed, "root can be another user");
    }
    for (;;) {
        FileDescriptor connection{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (connection && ::fork() == 0) {
            ::signal(SIGCHLD, SIG_DFL);
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve_(connection);
            ::_exit(0);
        }
    }
}

FileDescriptor listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    invariant(path.size() < sizeof(address.sun_path), "the path fits");
    std::memcpy(address.sun_path, path.data(), path.size());
    FileDescriptor listener{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    const bool listens =
        ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::listen(listener.get(), 16) == 0;
    invariant(listens, "it can be listened at");
    return listener;
}

}  // namespace merpati::connector::process
