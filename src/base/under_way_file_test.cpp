#include "base/under_way_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati {
namespace {

struct UnderWayFileTest : ::testing::Test {
    testing::TemporaryFolder folder;
    const std::string path = folder.file("under-way");
    const Uuid first{1, 11};
    const Uuid second{2, 22};

    [[nodiscard]] UnderWayFile open(std::size_t names_max = 8) const {
        return std::move(*UnderWayFile::open(path, names_max));
    }

    /// "id:crashes", ordered by id.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::uint32_t>> found(
        const UnderWayFile& file) const {
        std::vector<std::pair<std::int64_t, std::uint32_t>> all;
        for (const auto& one : file.found()) {
            all.emplace_back(one.id.sequence(), one.crashes);
        }
        std::ranges::sort(all);
        return all;
    }
    using All = std::vector<std::pair<std::int64_t, std::uint32_t>>;
};

TEST_F(UnderWayFileTest, FindsWhatWasNeverEnded) {
    {
        auto file = open();
        EXPECT_TRUE(file.found().empty());
        const auto ended = file.begin(first);
        static_cast<void>(file.begin(second));
        file.end(ended);
    }
    EXPECT_EQ(found(open()), (All{{2, 1}}));
}

TEST_F(UnderWayFileTest, PutsOffWhatMetMoreCrashesForLonger) {
    for (int crash = 0; crash < 3; ++crash) {
        auto file = open();
        static_cast<void>(file.begin(first));
    }
    {
        auto file = open();
        static_cast<void>(file.begin(second));
    }
    const auto found = open().found();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].id, second);
    EXPECT_EQ(found[0].put_off, Millis{2'000});
    EXPECT_EQ(found[1].id, first);
    EXPECT_EQ(found[1].put_off, Millis{8'020});
}

TEST_F(UnderWayFileTest, FindsWhatWasUnderWayWhenTheProcessWasKilled) {
    const auto child = ::fork();
    if (child == 0) {
        auto file = open();
        static_cast<void>(file.begin(first));
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(found(open()), (All{{1, 1}}));
}

TEST_F(UnderWayFileTest, CountsTheCrashesThatEachMet) {
    static_cast<void>(open().begin(first));
    {
        auto file = open();
        static_cast<void>(file.begin(first));
        static_cast<void>(file.begin(second));
    }
    EXPECT_EQ(found(open()), (All{{1, 2}, {2, 1}}));
    EXPECT_EQ(found(open()), (All{{1, 2}, {2, 1}})) << "not begun, so not met again";
}

TEST_F(UnderWayFileTest, OneThatEndsOrIsForgottenIsNotFoundAgain) {
    {
        auto file = open();
        static_cast<void>(file.begin(first));
        static_cast<void>(file.begin(second));
    }
    {
        auto file = open();
        file.end(file.begin(first));
        file.forget(second);
    }
    EXPECT_TRUE(open().found().empty());
}

TEST_F(UnderWayFileTest, WhatHasNoPlaceIsNotNamed) {
    {
        auto file = open(1);
        static_cast<void>(file.begin(first));
        file.end(file.begin(second));
    }
    EXPECT_EQ(found(open(1)), (All{{1, 1}}));
}

TEST_F(UnderWayFileTest, TwoEntriesOfOneItemAreOne) {
    {
        auto file = open(2);
        static_cast<void>(file.begin(first));
        static_cast<void>(file.begin(first));
    }
    {
        auto file = open(2);
        EXPECT_EQ(found(file), (All{{1, 1}}));
        static_cast<void>(file.begin(second));
        file.forget(first);
    }
    EXPECT_EQ(found(open(2)), (All{{2, 1}}));
}

TEST_F(UnderWayFileTest, AFileOfAnotherShapeIsMadeAnew) {
    static_cast<void>(open(8).begin(first));
    EXPECT_TRUE(open(9).found().empty());
    std::filesystem::remove(path);
    std::ofstream{path} << std::string(9 * 32, 'x');
    EXPECT_TRUE(open(8).found().empty());
    std::filesystem::resize_file(path, 17);
    EXPECT_TRUE(open(8).found().empty());
}

TEST_F(UnderWayFileTest, BelongsToOneProcessAndToTheOwnerAlone) {
    const auto file = open();
    EXPECT_EQ(UnderWayFile::open(path, 8).error().code, ErrorCode::io_failed);
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace merpati
