// The file that a connector writes and the gateway reads.
#include "media/received_file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "media/cache_storage.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
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
    EXPECT_EQ(file->size().value(), 6U);
    EXPECT_EQ(file->read(0, 100).value(), "gambar");
    EXPECT_EQ(file->read(3, 2).value(), "ba");
    const auto path = file->path();
    file->close();
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path)));
    EXPECT_EQ(file->read(0, 6).value(), "gambar");
    EXPECT_TRUE(std::filesystem::exists(folder.file("secret")));
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
