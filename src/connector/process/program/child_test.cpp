#include "connector/process/program/child.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::connector::process {
namespace {

Program shell(std::string script) {
    return {.command = {"sh", "-c", std::move(script)}, .path = "/usr/bin:/bin"};
}

Program python(const std::string& script) {
    return {.command = {"python3", "-uc", "import os, time\n" + script}, .path = "/usr/bin:/bin"};
}

/// All that the program writes until it ends.
std::string output_of(Child& child) {
    const FileDescriptor pipe{child.take_output()};
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

std::string end_of(Child& child) {
    std::string ended;
    while (ended.empty()) {
        ended = child.reap();
        ::poll(nullptr, 0, 1);
    }
    return ended;
}

TEST(ChildTest, RunsWithAnEnvironmentOfItsOwnAndNoDescriptorOfOurs) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads the environment.
    ::setenv("MERPATI_METRICS__TOKEN", "a-secret-of-the-gateway", 1);
    const FileDescriptor ours{::dup(STDIN_FILENO)};
    auto child = Child::start(shell("env; pwd; ls /proc/self/fd; cat /proc/self/status"));
    ASSERT_TRUE(child) << child.error().detail;
    const auto all = output_of(*child);
    EXPECT_FALSE(all.contains("MERPATI")) << all;
    EXPECT_TRUE(all.contains("LANG=C.UTF-8\n")) << all;
    EXPECT_TRUE(all.contains("PWD=/\n")) << all;
    EXPECT_TRUE(all.contains("\n0\n1\n2\n3\n4\n")) << all;  // 4 belongs to the listing.
    EXPECT_FALSE(all.contains("\n5\n")) << all;
    EXPECT_TRUE(all.contains("NoNewPrivs:\t1")) << all;
    EXPECT_EQ(end_of(*child), "it ended with exit code 0");
}

TEST(ChildTest, AProgramThatIsMissingIsNamed) {
    const auto missing = Child::start({.command = {"no-such-program"}, .path = "/usr/bin:/bin"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_TRUE(missing.error().detail.contains("no-such-program"));
    EXPECT_FALSE(Child::start({.command = {"/etc/hostname"}, .path = ""}));
    EXPECT_FALSE(Child::start({.command = {}, .path = ""}));
}

/// Limits how many descriptors this process may have.
class DescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t most) {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    DescriptorLimit(const DescriptorLimit&) = delete;
    DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
    rlimit before_{};
};

TEST(ChildTest, WithoutFreeDescriptorsNothingIsTakenForAStart) {
    // The ends of the socket and the pipes still find a number; their copies, from 10 on, do not.
    const DescriptorLimit limit{10};
    const auto child = Child::start(shell("exit 0"));
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code, ErrorCode::io_failed);
    EXPECT_TRUE(child.error().detail.starts_with("a descriptor for it cannot be copied"))
        << child.error().detail;
}

TEST(ChildTest, AConfinedProgramOpensWhatIsNamedAlone) {
    const testing::TemporaryFolder open;
    const testing::TemporaryFolder closed;
    for (const auto* folder : {&open, &closed}) {
        std::ofstream{folder->file("text")} << "a secret\n";
    }
    auto program =
        shell("cat " + open.file("text") + "; cat " + closed.file("text") + "; echo x > " +
              open.file("new") + "; echo end > /dev/null; ls " + open.file(""));
    program.sandbox = {.programs = {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"},
                       .readable = {open.path()},
                       .writable = {"/dev/null"}};
    if (make_ruleset(program.sandbox).get() < 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    auto child = Child::start(program);
    ASSERT_TRUE(child) << child.error().detail;
    const auto all = output_of(*child);
    EXPECT_EQ(all.find("a secret"), all.rfind("a secret")) << all;
    EXPECT_TRUE(all.starts_with("a secret\n")) << all;
    EXPECT_TRUE(all.contains("Permission denied")) << all;
    EXPECT_TRUE(all.ends_with("\ntext\n")) << all;
}

TEST(ChildTest, AConfinedProgramReachesNoOtherProcess) {
    auto program = python(
        "import socket\n"
        "def attempt(what, call):\n"
        "  try: call(); print(what, 'yes')\n"
        "  except OSError as error: print(what, error.errno)\n"
        "print([line for line in open('/proc/self/status') if 'Seccomp:' in line])\n"
        "attempt('network', lambda: socket.socket(socket.AF_INET))\n"
        "attempt('names', lambda: socket.getaddrinfo('localhost', 80))\n"
        "attempt('unix', lambda: socket.socket(socket.AF_UNIX))\n"
        "attempt('itself', lambda: os.kill(os.getpid(), 0))\n"
        "attempt('gateway', lambda: os.kill(os.getppid(), 0))\n"
        "os.close(3)");
    program.sandbox.programs = {"/"};
    auto child = Child::start(program);
    ASSERT_TRUE(child) << child.error().detail;
    const auto all = output_of(*child);
    if (!all.contains("Seccomp:\\t2")) {
        GTEST_SKIP() << "this kernel has no filters: " << all;
    }
    EXPECT_TRUE(all.contains("network yes\nnames yes\nunix 1\nitself yes\ngateway 1\n")) << all;
}

TEST(ChildTest, AConfinedProgramChangesNoFileThatItMayOnlyRead) {
    const testing::TemporaryFolder readable;
    const testing::TemporaryFolder writable;
    for (const auto* folder : {&readable, &writable}) {
        std::ofstream{folder->file("text")} << "a secret";
        ::chmod(folder->file("text").c_str(), 0600);
    }
    auto program = python(
        "import stat\n"
        "def attempt(what, call):\n"
        "  try: call(); print(what, 'yes')\n"
        "  except OSError as error: print(what, 'no')\n"
        "readable, writable = '" +
        readable.file("text") + "', '" + writable.file("text") +
        "'\n"
        "attempt('truncate', lambda: os.truncate(readable, 0))\n"
        "attempt('chmod', lambda: os.chmod(readable, 0o644))\n"
        "attempt('fchmod', lambda: os.fchmod(os.open(readable, os.O_RDONLY), 0o644))\n"
        "attempt('chown', lambda: os.chown(readable, os.getuid(), os.getgid()))\n"
        "attempt('setxattr', lambda: os.setxattr(readable, 'user.x', b'x'))\n"
        "attempt('cut', lambda: open(writable, 'w').close())\n");
    program.sandbox = {.programs = {"/usr", "/bin", "/lib", "/lib64", "/etc"},
                       .readable = {readable.path()},
                       .writable = {writable.path()}};
    if (make_ruleset(program.sandbox).get() < 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    auto child = Child::start(program);
    ASSERT_TRUE(child) << child.error().detail;
    EXPECT_EQ(output_of(*child),
              "truncate no\nchmod no\nfchmod no\nchown no\nsetxattr no\ncut yes\n");
    EXPECT_EQ(std::filesystem::file_size(readable.file("text")), 8U);
    EXPECT_EQ(std::filesystem::file_size(writable.file("text")), 0U);
}

TEST(ChildTest, AConfinedProgramWritesNoLargeFile) {
    const testing::TemporaryFolder folder;
    auto program = python("open('" + folder.file("large") + "', 'wb', 0).write(b'x' * 9999)\n" +
                          "print(os.path.getsize('" + folder.file("large") + "'))\n" + "open('" +
                          folder.file("large") + "', 'ab', 0).write(b'x')");
    program.file_bytes_max = 4'096;
    auto free = Child::start(program);
    ASSERT_TRUE(free) << free.error().detail;
    EXPECT_EQ(output_of(*free), "9999\n");
    program.sandbox = {.programs = {"/"}, .owned = {folder.path()}};
    auto child = Child::start(program);
    ASSERT_TRUE(child) << child.error().detail;
    (void)output_of(*child);
    EXPECT_EQ(std::filesystem::file_size(folder.file("large")), 4'096U);
}

TEST(ChildTest, KillEndsWhatItStartedToo) {
    auto child = Child::start(shell("sleep 600 & sleep 600"));
    ASSERT_TRUE(child);
    child->kill();
    // The pipe ends when no process holds it any more.
    EXPECT_EQ(output_of(*child), "");
    EXPECT_EQ(end_of(*child), "it was ended by signal 9");
    EXPECT_EQ(child->exit_code(), -1);
}

TEST(ChildTest, WhatItLeavesBehindEndsWithIt) {
    auto child = Child::start(shell("sleep 600 & exit 78"));
    ASSERT_TRUE(child);
    EXPECT_EQ(end_of(*child), "it ended with exit code 78");
    EXPECT_EQ(child->exit_code(), 78);
    EXPECT_EQ(output_of(*child), "");
}

/// Waits until the program wrote `bytes` bytes, or the pipe ended.
void await_output(const FileDescriptor& pipe, std::size_t bytes) {
    std::array<char, 64> piece{};
    while (bytes > 0) {
        pollfd ready{.fd = pipe.get(), .events = POLLIN, .revents = 0};
        ::poll(&ready, 1, 20'000);
        const auto count = ::read(pipe.get(), piece.data(), std::min(bytes, piece.size()));
        if (count <= 0) {
            return;
        }
        bytes -= static_cast<std::size_t>(count);
    }
}

constexpr std::uint64_t mib = 1 << 20;

TEST(ChildTest, WhatItStartedCountsAsItsMemory) {
    // The second has a process group of its own, like the jobs of an interactive shell.
    auto child =
        Child::start(python("for group in range(2):\n"
                            "  if os.fork() == 0:\n"
                            "    if group: os.setpgid(0, 0)\n"
                            "    held = b'x' * (48 << 20); print('k'); break\n"
                            "time.sleep(600)"));
    ASSERT_TRUE(child) << child.error().detail;
    await_output(FileDescriptor{child->take_output()}, 4);
    EXPECT_GT(child->memory(64 * mib), 96 * mib);
}

TEST(ChildTest, MemoryThatItSharesWithWhatItStartedCountsOnce) {
    auto child =
        Child::start(python("held = b'x' * (64 << 20)\n"
                            "for _ in range(3):\n"
                            "  if os.fork() == 0: break\n"
                            "print('k'); time.sleep(600)"));
    ASSERT_TRUE(child) << child.error().detail;
    await_output(FileDescriptor{child->take_output()}, 8);
    const auto bytes = child->memory(64 * mib);
    EXPECT_GT(bytes, 64 * mib);
    EXPECT_LT(bytes, 128 * mib);
}

TEST(ChildTest, AProcessGroupOfItsOwnDoesNotEscapeTheEnd) {
    auto child =
        Child::start(python("if os.fork() == 0: os.setpgid(0, 0)\n"
                            "print('k'); time.sleep(600)"));
    ASSERT_TRUE(child) << child.error().detail;
    const FileDescriptor output{child->take_output()};
    await_output(output, 4);
    child->kill();
    EXPECT_EQ(end_of(*child), "it was ended by signal 9");
    await_output(output, 1);  // The pipe ends when no process holds it any more.
    pollfd ended{.fd = output.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ended, 1, 0), 1);
}

}  // namespace
}  // namespace merpati::connector::process
