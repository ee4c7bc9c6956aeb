// A worker that a launcher runs ends, fails and is limited like one that the gateway runs.
#include "connector/process/program/launched.hpp"

#include <array>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "connector/process/codec/packet.hpp"
#include "connector/process/program/launcher_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;

constexpr uid_t nobody = 65534;
constexpr std::uint64_t mib = 1 << 20;

LauncherOptions shell(const std::string& script) {
    return {
        .program =
            [script] { return Program{.command = {"sh", "-c", script}, .path = "/usr/bin:/bin"}; },
        .examine = [] { return std::string{"a shell"}; },
        .memory_every = 20ms};
}

struct LaunchedTest : ::testing::Test {
    Launched start(const LauncherHost& host, std::uint64_t memory_max = 512 * mib) {
        auto started = Launched::start(clock, {.path = host.path(), .any_user = true},
                                       {.memory_max = memory_max});
        EXPECT_TRUE(started) << started.error().detail;
        return std::move(*started);
    }

    SystemClock clock;
};

void await(int descriptor) {
    pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 20'000);
}

/// Reads up to the end of a line, or until no process holds the pipe any more.
std::string line_of(const FileDescriptor& pipe) {
    std::string line;
    char byte = 0;
    for (;;) {
        await(pipe.get());
        if (::read(pipe.get(), &byte, 1) != 1 || byte == '\n') {
            return line;
        }
        line += byte;
    }
}

std::string end_of(Launched& launched) {
    const FileDescriptor news{launched.take_end()};
    for (;;) {
        if (auto ended = launched.reap(); !ended.empty()) {
            return ended;
        }
        await(news.get());
    }
}

TEST_F(LaunchedTest, TheWorkerHasItsSocketAndOutputAndNothingElse) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads the environment.
    ::setenv("MERPATI_METRICS__TOKEN", "a-secret-of-the-gateway", 1);
    const LauncherHost host{shell("ls /proc/self/fd | tr '\\n' ' '; echo; echo halo >&3; env")};
    auto launched = start(host);
    const FileDescriptor socket{launched.take_socket()};
    const FileDescriptor output{launched.take_output()};
    EXPECT_EQ(line_of(output), "0 1 2 3 4 ");  // 4 belongs to the listing.
    EXPECT_EQ(line_of(socket), "halo");
    for (auto line = line_of(output); !line.empty(); line = line_of(output)) {
        EXPECT_FALSE(line.contains("MERPATI")) << line;
    }
    EXPECT_EQ(end_of(launched), "it ended with exit code 0");
    EXPECT_EQ(launched.exit_code(), 0);
}

TEST_F(LaunchedTest, HowItEndedIsTold) {
    const LauncherHost refuses{shell("exit 78")};
    auto refused = start(refuses);
    EXPECT_EQ(end_of(refused), "it ended with exit code 78");
    EXPECT_EQ(refused.exit_code(), 78);
    const LauncherHost killed{shell("kill -9 $$")};
    auto gone = start(killed);
    EXPECT_EQ(end_of(gone), "it was ended by signal 9");
    EXPECT_EQ(gone.exit_code(), -1);
}

TEST_F(LaunchedTest, KillEndsAllThatItStarted) {
    const LauncherHost host{shell("sleep 600 & echo k; sleep 600")};
    auto launched = start(host);
    const FileDescriptor output{launched.take_output()};
    EXPECT_EQ(line_of(output), "k");
    EXPECT_EQ(launched.reap(), "");
    launched.kill();
    EXPECT_EQ(end_of(launched), "the server ended it");
    EXPECT_EQ(line_of(output), "");  // No process holds the pipe any more.
}

TEST_F(LaunchedTest, ItEndsWithTheGateway) {
    const LauncherHost host{shell("sleep 600 & echo k; sleep 600")};
    FileDescriptor output;
    {
        auto launched = start(host);
        output = FileDescriptor{launched.take_output()};
        EXPECT_EQ(line_of(output), "k");
    }
    EXPECT_EQ(line_of(output), "");
}

TEST_F(LaunchedTest, ItEndsWithItsLauncher) {
    const LauncherHost host{shell("echo $PPID; exec sleep 600")};
    auto launched = start(host);
    const FileDescriptor output{launched.take_output()};
    ::kill(std::stoi(line_of(output)), SIGKILL);
    EXPECT_EQ(end_of(launched), "its launcher was ended");
    EXPECT_EQ(line_of(output), "");
}

TEST_F(LaunchedTest, TooMuchMemoryEndsIt) {
    auto options = shell("");
    options.program = [] {
        return Program{
            .command = {"python3", "-c",
                        "import time\nheld = b'x' * (96 << 20)\nprint('k')\ntime.sleep(600)"},
            .path = "/usr/bin:/bin"};
    };
    const LauncherHost host{std::move(options)};
    auto launched = start(host, 64 * mib);
    const auto how = end_of(launched);
    EXPECT_TRUE(how.starts_with("it has ") && how.ends_with(" MiB in memory, 64 are allowed"))
        << how;
}

TEST_F(LaunchedTest, WhatItMayHaveIsALimitOfTheSystemToo) {
    const LauncherHost host{shell("ulimit -d >&3")};
    auto launched = start(host, 512 * mib);
    const FileDescriptor socket{launched.take_socket()};
    EXPECT_EQ(line_of(socket), "2097152");  // KiB: four times memory_max, see Child.
}

TEST_F(LaunchedTest, TheFilesThatAConfinedOneWritesAreLimited) {
    auto options = shell("");
    options.program = [] {
        return Program{.command = {"sh", "-c", "ulimit -f >&3"},
                       .path = "/usr/bin:/bin",
                       .sandbox = {.programs = {"/"}}};
    };
    const LauncherHost host{std::move(options)};
    auto launched = Launched::start(clock, {.path = host.path(), .any_user = true},
                                    {.memory_max = 512 * mib, .file_bytes_max = 64 * mib});
    ASSERT_TRUE(launched);
    const FileDescriptor socket{launched->take_socket()};
    EXPECT_EQ(line_of(socket), "131072");  // Blocks of 512 bytes.
    EXPECT_EQ(end_of(*launched), "it ended with exit code 0") << "without the report `confined`";
    EXPECT_FALSE(launched->confinement().wanted);
}

TEST_F(LaunchedTest, TheConfinementOfItsWorkerIsTold) {
    auto options = shell("");
    options.program = [] {
        return Program{
            .command = {"true"}, .path = "/usr/bin:/bin", .sandbox = {.programs = {"/"}}};
    };
    const LauncherHost host{std::move(options)};
    auto launched = Launched::start(clock, {.path = host.path(), .any_user = true},
                                    {.memory_max = 512 * mib, .wants_confinement = true});
    ASSERT_TRUE(launched);
    EXPECT_EQ(end_of(*launched), "it ended with exit code 0");
    EXPECT_TRUE(launched->confinement().wanted);
    EXPECT_EQ(launched->confinement().landlock, landlock_version());
    EXPECT_TRUE(launched->confinement().filtered);
}

TEST_F(LaunchedTest, AProgramThatCannotBeRunIsNamed) {
    auto options = shell("");
    options.program = [] { return fail(ErrorCode::not_found, "Node.js is not found in PATH"); };
    const LauncherHost host{options};
    auto launched = start(host);
    EXPECT_EQ(end_of(launched), "Node.js is not found in PATH");
    options.program = [] { return Program{.command = {"no-such-program"}, .path = "/bin"}; };
    const LauncherHost other{options};
    auto missing = start(other);
    EXPECT_TRUE(end_of(missing).contains("no-such-program"));
}

TEST_F(LaunchedTest, AnExaminationRunsNothing) {
    const LauncherHost host{shell("echo x >&2")};
    auto launched =
        Launched::start(clock, {.path = host.path()}, {.kind = LaunchOrder::Kind::examine});
    ASSERT_TRUE(launched);
    EXPECT_EQ(launched->take_socket(), -1);
    EXPECT_EQ(end_of(*launched), "a shell");
    EXPECT_EQ(launched->last_report().kind, LaunchReport::Kind::examined);
    EXPECT_EQ(launched->user(), ::geteuid());
}

TEST_F(LaunchedTest, AnotherUserThanOursIsAskedFor) {
    const LauncherHost host{shell("echo k >&3; sleep 600")};
    auto launched = Launched::start(clock, {.path = host.path()}, {.memory_max = mib});
    ASSERT_TRUE(launched);
    const FileDescriptor socket{launched->take_socket()};
    EXPECT_EQ(line_of(socket), "k");
    EXPECT_TRUE(launched->objection().contains("must have a user of its own"));
}

TEST_F(LaunchedTest, AnotherUserRunsIt) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can start a launcher as another user";
    }
    const LauncherHost host{shell("id -u >&3; sleep 600"), nobody};
    auto launched = Launched::start(clock, {.path = host.path()}, {.memory_max = 512 * mib});
    ASSERT_TRUE(launched) << launched.error().detail;
    const FileDescriptor socket{launched->take_socket()};
    EXPECT_EQ(line_of(socket), "65534");
    EXPECT_EQ(launched->objection(), "");
    EXPECT_EQ(launched->user(), nobody);
    launched->kill();
    EXPECT_EQ(end_of(*launched), "the server ended it");
}

TEST_F(LaunchedTest, WhereNobodyListensIsNamed) {
    const testing::TemporaryFolder folder;
    const auto path = folder.file("worker.sock");
    auto missing = Launched::start(clock, {.path = path}, {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().detail,
              fmt::format("nobody listens at {}: is merpati-worker.socket started?", path));
    {
        const auto listener = listen_at(path);
    }
    auto refused = Launched::start(clock, {.path = path}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unreachable);
    EXPECT_FALSE(Launched::start(clock, {.path = std::string(200, 'x')}, {}));
}

TEST_F(LaunchedTest, WhatClosesWithoutAWordIsNoWorker) {
    const testing::TemporaryFolder folder;
    const auto listener = listen_at(folder.file("worker.sock"));
    auto launched = Launched::start(clock, {.path = folder.file("worker.sock")}, {});
    ASSERT_TRUE(launched);
    {
        const FileDescriptor connection{::accept(listener.get(), nullptr, nullptr)};
        auto packet = receive_packet(connection.get());  // Closing with unread data would reset.
    }
    EXPECT_TRUE(end_of(*launched).starts_with("its launcher ended without a word"));
    EXPECT_FALSE(launched->objection().empty());
}

TEST_F(LaunchedTest, WhoSaysNotThatItBeginsIsNobodysWorker) {
    const testing::TemporaryFolder folder;
    const auto listener = listen_at(folder.file("worker.sock"));
    auto launched = Launched::start(clock, {.path = folder.file("worker.sock")}, {});
    ASSERT_TRUE(launched);
    {
        const FileDescriptor connection{::accept(listener.get(), nullptr, nullptr)};
        ASSERT_TRUE(receive_packet(connection.get()));
        ASSERT_TRUE(send_packet(connection.get(),
                                write_report({.kind = LaunchReport::Kind::ended, .text = "x"})));
    }
    EXPECT_EQ(end_of(*launched), "x");
    EXPECT_FALSE(launched->user());
    EXPECT_EQ(launched->objection(), "its launcher did not say who it is");
}

TEST_F(LaunchedTest, ASocketOfAnotherUserIsNotTrusted) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can listen as another user";
    }
    const testing::TemporaryFolder folder;
    ASSERT_EQ(::chown(folder.path().c_str(), nobody, nobody), 0);
    ASSERT_EQ(::seteuid(nobody), 0);
    const auto listener = listen_at(folder.file("worker.sock"));
    ASSERT_EQ(::seteuid(0), 0);
    const auto launched =
        Launched::start(clock, {.path = folder.file("worker.sock"), .any_user = true}, {});
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, ErrorCode::forbidden);
}

TEST_F(LaunchedTest, WhatIsNoReportEndsIt) {
    for (const std::string_view said : {"no JSON", R"({"version":2,"report":"begins","text":""})",
                                        R"({"version":1,"report":"other","text":""})"}) {
        const testing::TemporaryFolder folder;
        const auto listener = listen_at(folder.file("worker.sock"));
        auto launched = Launched::start(clock, {.path = folder.file("worker.sock")}, {});
        ASSERT_TRUE(launched);
        const FileDescriptor connection{::accept(listener.get(), nullptr, nullptr)};
        ASSERT_TRUE(send_packet(connection.get(), said));
        EXPECT_TRUE(end_of(*launched).starts_with("its launcher: ")) << said;
    }
}

TEST_F(LaunchedTest, ALauncherThatDoesNotEndIsWaitedForALimitedTime) {
    const testing::TemporaryFolder folder;
    testing::ManualClock still;
    const auto listener = listen_at(folder.file("worker.sock"));
    auto launched = Launched::start(still, {.path = folder.file("worker.sock")}, {});
    ASSERT_TRUE(launched);
    launched->kill();
    EXPECT_EQ(launched->reap(), "");
    still.advance(Launched::end_within);
    EXPECT_EQ(launched->reap(), "its launcher does not end");
}

struct LauncherTest : ::testing::Test {
    LauncherTest() {
        std::array<int, 2> pair{};
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data());
        server = FileDescriptor{pair[0]};
        connection = FileDescriptor{pair[1]};
        options.order_within = 50ms;
    }

    LauncherOptions options = shell("exit 1");
    FileDescriptor server;
    FileDescriptor connection;
};

TEST_F(LauncherTest, RunsNothingWithoutAnOrder) {
    EXPECT_EQ(launch(connection, options).error().code, ErrorCode::timeout);
    ASSERT_TRUE(send_packet(server.get(), "no order"));
    EXPECT_EQ(launch(connection, options).error().code, ErrorCode::protocol);
    ASSERT_TRUE(send_packet(server.get(), write_order({.memory_max = mib})));
    EXPECT_EQ(launch(connection, options).error().code, ErrorCode::protocol);  // No descriptors.
    server = FileDescriptor{};
    EXPECT_EQ(launch(connection, options).error().code, ErrorCode::unreachable);
}

TEST_F(LauncherTest, SaysThatItCannotTakeTheOrder) {
    ASSERT_TRUE(send_packet(server.get(), R"({"version":2,"order":"dance"})"));
    EXPECT_FALSE(launch(connection, options));
    const auto packet = receive_packet(server.get());
    ASSERT_TRUE(packet && *packet);
    const auto report = read_report((*packet)->text);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->kind, LaunchReport::Kind::not_run);
    EXPECT_TRUE(report->text.contains("different versions"));
}

}  // namespace
}  // namespace merpati::connector::process
