// A file that a connector writes and the gateway reads.
#include "media/received_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "media/cache_storage.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
}

off_t size_of(const FileDescriptor& file) {
    struct stat found{};
    return ::fstat(file.get(), &found) == 0 ? found.st_size : -1;
}

struct ReceivedFileTest : ::testing::Test {
    std::unique_ptr<CacheStorage> open() {
        return CacheStorage::open(clock, {.folder = folder.path() / "media"}).value();
    }
    testing::ManualClock clock;
    testing::TemporaryFolder folder;
};

TEST_F(ReceivedFileTest, IsWhatWasWrittenToItWhateverStandsAtItsPathLater) {
    const auto storage = open();
    const auto file = storage->receive().value();
    write(file->path(), "gambar");
    write(folder.file("secret"), "rahasia");
    std::filesystem::remove(file->path());
    std::filesystem::create_symlink(folder.file("secret"), file->path());
    const auto path = file->path();
    ASSERT_TRUE(file->accept(6));
    EXPECT_EQ(file->bytes(), 6U);
    EXPECT_EQ(file->read(0, 100).value(), "gambar");
    EXPECT_EQ(file->read(3, 2).value(), "ba");
    EXPECT_EQ(file->read(7, 2).value(), "");
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path)));
    EXPECT_TRUE(std::filesystem::exists(folder.file("secret")));
}

TEST_F(ReceivedFileTest, OfAnotherLengthThanWasSaidIsEmptied) {
    const auto storage = open();
    const auto file = storage->receive().value();
    write(file->path(), "gambar");
    EXPECT_EQ(file->accept(5).error().code, ErrorCode::conflict);
    EXPECT_EQ(file->read(0, 100).value(), "");
}

TEST_F(ReceivedFileTest, WhoeverKeepsItOpenIsFoundOut) {
    const auto storage = open();
    for (const int mode : {O_RDONLY, O_WRONLY, O_RDWR}) {
        const auto file = storage->receive().value();
        const FileDescriptor kept{::open(file->path().c_str(), mode | O_CLOEXEC)};
        write(file->path(), "gambar");
        EXPECT_EQ(file->accept(6).error().code, ErrorCode::conflict);
        EXPECT_EQ(size_of(kept), 0) << "what it holds takes no room";
        EXPECT_EQ(file->read(0, 100).value(), "");
    }
    const auto file = storage->receive().value();
    {
        const FileDescriptor kept{::open(file->path().c_str(), O_WRONLY | O_CLOEXEC)};
        EXPECT_EQ(file->discard().error().code, ErrorCode::conflict);
    }
    EXPECT_TRUE(file->discard());
}

TEST_F(ReceivedFileTest, WhoeverKeepsAnotherNameOfItIsFoundOut) {
    const auto storage = open();
    const auto file = storage->receive().value();
    write(file->path(), "gambar");
    std::filesystem::create_hard_link(file->path(), folder.file("kept"));
    EXPECT_EQ(file->accept(6).error().code, ErrorCode::conflict);
    EXPECT_EQ(std::filesystem::file_size(folder.file("kept")), 0U);
}

TEST_F(ReceivedFileTest, ItsGroupMayNotOpenItAgainAndWhatIsAddedIsNotRead) {
    const auto storage =
        CacheStorage::open(clock, {.folder = folder.path() / "media", .group_reads = true}).value();
    const auto file = storage->receive().value();
    write(file->path(), "gambar");
    const FileDescriptor name{::open(file->path().c_str(), O_PATH | O_CLOEXEC)};
    ASSERT_TRUE(file->accept(6));
    struct stat found{};
    ASSERT_EQ(::fstat(name.get(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600);
    std::ofstream{fmt::format("/proc/self/fd/{}", name.get()), std::ios::app} << "rahasia";
    EXPECT_EQ(size_of(name), 13);
    EXPECT_EQ(file->read(0, 100).value(), "gambar");
    EXPECT_EQ(file->read(6, 100).value(), "");
}

TEST_F(ReceivedFileTest, WhatACrashLeftIsRemoved) {
    const auto left = folder.path() / "media" / received_folder / "7";
    {
        const auto storage = open();
        std::filesystem::create_directory(left);
        write(left / "anything", "x");
    }
    const auto storage = open();
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(storage->receive());
}

}  // namespace
}  // namespace merpati::media
