// A confined program reaches nothing but what it is given: no process, no socket, no file of
// others.
#include <array>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connector/process/program/child.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::process {
namespace {

/// Python functions for the attempts: each prints its name, and whether the system allowed it.
constexpr std::string_view prelude = R"(
import ctypes, fcntl, os, platform, resource, signal, socket, struct, subprocess
gateway = os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
  if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), 'refused')
def attempt(what, act):
  try: act(); print(what, 'yes')
  except OSError as error: print(what, 'no')
)";

Program python(const std::string& script) {
    return {.command = {"python3", "-uc", std::string{prelude} + script},
            .path = "/usr/bin:/bin",
            .sandbox = {.programs = {"/"}}};
}

/// All that the program writes until it ends.
std::string output_of(const Program& program) {
    auto child = Child::start(program);
    EXPECT_TRUE(child);
    if (!child) {
        return child.error().detail;
    }
    const FileDescriptor pipe{child->take_output()};
    std::string all;
    std::array<char, 4'096> piece{};
    for (;;) {
        pollfd ready{.fd = pipe.get(), .events = POLLIN, .revents = 0};
        ::poll(&ready, 1, 20'000);
        const auto count = ::read(pipe.get(), piece.data(), piece.size());
        if (count <= 0) {
            return all;
        }
        all.append(piece.data(), static_cast<std::size_t>(count));
    }
}

TEST(ConfinementTest, ItChangesNoOtherProcess) {
    const auto all = output_of(python(R"(
zero = resource.prlimit(0, resource.RLIMIT_CORE)
attempt('own limit', lambda: resource.prlimit(os.getpid(), resource.RLIMIT_CORE))
attempt('limit', lambda: resource.prlimit(gateway, resource.RLIMIT_CORE, zero))
attempt('read limit', lambda: resource.prlimit(gateway, resource.RLIMIT_NOFILE))
attempt('affinity', lambda: os.sched_setaffinity(gateway, {0}))
attempt('scheduler', lambda: os.sched_setscheduler(gateway, os.SCHED_IDLE, os.sched_param(0)))
attempt('nice', lambda: os.setpriority(os.PRIO_PROCESS, gateway, 1))
attempt('nice of the user', lambda: os.setpriority(os.PRIO_USER, 0, 0))
ioprio_set = {'x86_64': 251, 'aarch64': 30}[platform.machine()]
attempt('disk priority', lambda: call(ioprio_set, 1, gateway, 3 << 13))
)"));
    EXPECT_EQ(all,
              "own limit yes\nlimit no\nread limit no\naffinity no\nscheduler no\nnice no\n"
              "nice of the user no\ndisk priority no\n");
}

TEST(ConfinementTest, ItMakesTheSystemSendNoSignalToOthers) {
    const auto all = output_of(python(R"(
a, b = socket.socketpair()
attempt('owner', lambda: fcntl.fcntl(a, fcntl.F_SETOWN, gateway))
attempt('owner by structure', lambda: fcntl.fcntl(a, 15, struct.pack('ii', 1, gateway)))
attempt('signal', lambda: fcntl.fcntl(a, 10, signal.SIGTERM))
attempt('owner by ioctl', lambda: fcntl.ioctl(a, 0x8901, struct.pack('i', gateway)))
attempt('owner of the socket', lambda: fcntl.ioctl(a, 0x8902, struct.pack('i', gateway)))
attempt('flags', lambda: fcntl.fcntl(a, fcntl.F_SETFL, os.O_NONBLOCK))
)"));
    EXPECT_EQ(all,
              "owner no\nowner by structure no\nsignal no\nowner by ioctl no\n"
              "owner of the socket no\nflags yes\n");
}

TEST(ConfinementTest, ItReachesNoSocketOfAnotherByDatagrams) {
    const auto all = output_of(python(R"(
attempt('stream', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM))
attempt('datagram', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt('packet', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
)"));
    EXPECT_EQ(all, "stream yes\ndatagram no\npacket no\n");
}

TEST(ConfinementTest, WhatItStartsStaysInItsSession) {
    const auto all = output_of(python(R"(
if os.fork() == 0:
  attempt('session', os.setsid)
  os._exit(0)
os.wait()
attempt('user name space', lambda: os.unshare(0x10000000) if hasattr(os, 'unshare') else
        call({'x86_64': 272, 'aarch64': 97}[platform.machine()], 0x10000000))
)"));
    EXPECT_EQ(all, "session no\nuser name space no\n");
}

TEST(ConfinementTest, ItChangesNoTimeOfAFileThatItMayOnlyRead) {
    const testing::TemporaryFolder folder;
    std::ofstream{folder.file("text")} << "a secret";
    EXPECT_EQ(output_of(python(fmt::format("attempt('time', lambda: os.utime('{}', (1, 1)))\n",
                                           folder.file("text")))),
              "time no\n");
}

struct WritableFolderTest : ::testing::Test {
    WritableFolderTest() {
        std::ofstream{folder.file("made")} << "old";
        ::chmod(folder.file("made").c_str(), 0700);
    }
    [[nodiscard]] std::string attempts(Sandbox sandbox) const {
        auto program = python(fmt::format(R"(
os.chdir('{}')
attempt('write', lambda: open('made', 'w').write('#!/bin/sh\necho ran\n'))
attempt('run', lambda: subprocess.run(['./made'], check=True))
attempt('make', lambda: open('other', 'w').close())
attempt('folder', lambda: os.mkdir('sub'))
attempt('symlink', lambda: os.symlink('/etc/passwd', 'link'))
attempt('link', lambda: os.link('made', 'again'))
attempt('pipe', lambda: os.mkfifo('pipe'))
attempt('rename', lambda: os.rename('made', 'renamed'))
attempt('remove', lambda: os.remove('made'))
)",
                                          folder.path().string()));
        sandbox.programs = {"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"};
        program.sandbox = std::move(sandbox);
        return output_of(program);
    }
    const testing::TemporaryFolder folder;
};

TEST_F(WritableFolderTest, ItOnlyWritesToFilesThatAreThere) {
    if (landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    EXPECT_EQ(attempts({.writable = {folder.path()}}),
              "write yes\nrun no\nmake no\nfolder no\nsymlink no\nlink no\npipe no\nrename no\n"
              "remove no\n");
}

TEST_F(WritableFolderTest, InAFolderOfItsOwnItDoesAllButExecute) {
    if (landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    EXPECT_EQ(attempts({.owned = {folder.path()}}),
              "write yes\nrun no\nmake yes\nfolder yes\nsymlink yes\nlink yes\npipe yes\n"
              "rename yes\nremove no\n")
        << "the last file was renamed";
}

TEST(ConfinementTest, ItListensAtNoPort) {
    if (landlock_version() < 4) {
        GTEST_SKIP() << "this kernel's Landlock cannot withhold that";
    }
    EXPECT_EQ(output_of(python("attempt('listen', lambda: "
                               "socket.socket(socket.AF_INET).bind(('127.0.0.1', 40000)))\n")),
              "listen no\n");
}

TEST(ConfinementTest, WhatTheKernelGaveIsKnown) {
    const auto child = Child::start(python("os._exit(0)"));
    ASSERT_TRUE(child);
    const auto known = child->confinement();
    EXPECT_TRUE(known.wanted);
    EXPECT_EQ(known.landlock, landlock_version());
    EXPECT_TRUE(known.filtered);
    const auto free = Child::start({.command = {"true"}, .path = "/usr/bin:/bin"});
    ASSERT_TRUE(free);
    EXPECT_FALSE(free->confinement().wanted);
    EXPECT_EQ(free->confinement().text(), "");
}

TEST(ConfinementTest, WhatIsMissingIsSaid) {
    EXPECT_FALSE((Confinement{.wanted = true, .landlock = 1, .filtered = true}.is_weak()));
    for (const auto& weak : {Confinement{.wanted = true, .landlock = 3, .filtered = false},
                             Confinement{.wanted = true, .landlock = 0, .filtered = true},
                             Confinement{.wanted = true, .landlock = 0, .filtered = false}}) {
        EXPECT_TRUE(weak.is_weak());
        EXPECT_TRUE(weak.text().contains("no") || weak.text().contains("refuses")) << weak.text();
    }
    EXPECT_FALSE(Confinement{}.is_weak());
}

}  // namespace
}  // namespace merpati::connector::process
