#include "media/cache_storage.hpp"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

struct CacheStorageTest : ::testing::Test {
    ContentPtr put(const std::string& text) {
        auto file = cache_storage->incoming();
        EXPECT_TRUE(file);
        EXPECT_TRUE(file->put(as_bytes(text)));
        return cache_storage->keep(std::move(*file)).value();
    }
    [[nodiscard]] bool exists(const std::string& sha256) const {
        return std::filesystem::exists(folder.path() / "media" / sha256);
    }
    [[nodiscard]] std::size_t files_in_folder() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator{options.folder}) {
            count += entry.is_regular_file() && entry.path().filename() != "lock" ? 1U : 0U;
        }
        return count;
    }

    testing::ManualClock clock;
    testing::TemporaryFolder folder;
    CacheStorageOptions options{.folder = folder.path() / "media",
                                .kept_bytes_max = 3UL * 4096,
                                .kept_for = 1h,
                                .files_max = 10};
    std::unique_ptr<CacheStorage> cache_storage = CacheStorage::open(clock, options).value();
};

TEST_F(CacheStorageTest, KeepsAFileUnderItsContent) {
    const auto content = put("hai");
    EXPECT_EQ(content->bytes, 3U);
    EXPECT_EQ(content->sha256, to_hex(sha256("hai")));
    EXPECT_EQ(content->path, options.folder / content->sha256);
    std::ifstream file{content->path};
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>{file}, {}), "hai");
    const auto permissions = std::filesystem::status(content->path).permissions();
    EXPECT_EQ(permissions & std::filesystem::perms{077}, std::filesystem::perms::none);
}

TEST_F(CacheStorageTest, LetsItsGroupOpenFilesWhereItIsAskedTo) {
    using std::filesystem::perms;
    const auto permissions = [](const std::filesystem::path& path) {
        return std::filesystem::status(path).permissions();
    };
    EXPECT_EQ(permissions(options.folder), perms{0700});
    cache_storage = nullptr;
    options.group_reads = true;
    cache_storage = CacheStorage::open(clock, options).value();
    const auto former = ::umask(077);
    const auto content = put("hai");
    const auto received = cache_storage->receive().value();
    ::umask(former);
    EXPECT_EQ(permissions(received->path()), perms{0660});
    EXPECT_EQ(permissions(received->path().parent_path()), perms{0710});
    EXPECT_EQ(permissions(options.folder), perms{0710});
    EXPECT_EQ(permissions(content->path), perms{0640});
    EXPECT_EQ(permissions(options.folder / "lock"), perms{0600});
}

TEST_F(CacheStorageTest, KeepsTheSameContentOnce) {
    const auto first = put("hai");
    EXPECT_EQ(put("hai"), first);
    EXPECT_EQ(cache_storage->files(), 1U);
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(CacheStorageTest, RemovesAFileThatWasNotKept) {
    {
        auto file = cache_storage->incoming();
        EXPECT_TRUE(file->put(as_bytes("hai")));
        EXPECT_EQ(files_in_folder(), 1U);
    }
    EXPECT_EQ(files_in_folder(), 0U);
}

TEST_F(CacheStorageTest, RemovesByAgeWhatNobodyHolds) {
    const auto held = put("dipegang");
    const auto free = put("bebas")->sha256;
    clock.advance(1h - 1ms);
    EXPECT_EQ(cache_storage->remove_old(), 0U);
    clock.advance(1ms);
    EXPECT_EQ(cache_storage->remove_old(), 1U);
    EXPECT_TRUE(exists(held->sha256));
    EXPECT_FALSE(exists(free));
    EXPECT_EQ(cache_storage->bytes(), 4096U);
}

TEST_F(CacheStorageTest, CountsTheAgeFromTheLastUse) {
    const auto hash = put("hai")->sha256;
    clock.advance(59min);
    cache_storage->use(*put("hai"));
    clock.advance(59min);
    EXPECT_EQ(cache_storage->remove_old(), 0U);
    EXPECT_TRUE(exists(hash));
}

TEST_F(CacheStorageTest, RemovesTheLongestUnusedForRoom) {
    const auto first = put("1")->sha256;
    const auto second = put("2")->sha256;
    const auto third = put("3")->sha256;
    EXPECT_TRUE(cache_storage->make_room(0));
    EXPECT_EQ(cache_storage->files(), 3U);
    cache_storage->use(*put("1"));
    EXPECT_TRUE(cache_storage->make_room(4096));
    put("4");
    EXPECT_TRUE(exists(first));
    EXPECT_FALSE(exists(second));
    EXPECT_TRUE(exists(third));
}

TEST_F(CacheStorageTest, RemovesNothingHeldForRoom) {
    std::vector<ContentPtr> held;
    held.reserve(20);
    for (int number = 0; number < 20; ++number) {
        held.push_back(put(std::to_string(number)));
    }
    EXPECT_EQ(cache_storage->remove_old(), 0U);
    EXPECT_FALSE(cache_storage->make_room(0));
    EXPECT_EQ(cache_storage->clear(), 0U);
    held.clear();
    EXPECT_TRUE(cache_storage->make_room(0));
    EXPECT_EQ(cache_storage->clear(), 3U);
    EXPECT_EQ(files_in_folder(), 0U);
    EXPECT_EQ(cache_storage->bytes(), 0U);
}

TEST_F(CacheStorageTest, CountsAFileUntilTheDiskHasRemovedIt) {
    const auto gone = put("hilang")->path;
    const auto stuck = put("macet")->path;
    for (const auto& path : {gone, stuck}) {
        std::filesystem::remove(path);
    }
    std::filesystem::create_directory(stuck);  // unlink(2) refuses it, whoever asks.
    EXPECT_EQ(cache_storage->clear(), 1U) << "what is gone already takes no room";
    EXPECT_EQ(cache_storage->files(), 1U);
    EXPECT_EQ(cache_storage->bytes(), 4096U);
    EXPECT_FALSE(cache_storage->make_room(3UL * 4096));
    clock.advance(1h);
    EXPECT_EQ(cache_storage->remove_old(), 0U);
    EXPECT_EQ(cache_storage->removed_total(), 1U);
    std::filesystem::remove(stuck);
    EXPECT_TRUE(cache_storage->make_room(3UL * 4096));
    EXPECT_EQ(cache_storage->bytes(), 0U);
}

TEST_F(CacheStorageTest, RemovesWhatAnEarlierServerLeftAndNothingElse) {
    put("hai");
    cache_storage = nullptr;
    std::ofstream{options.folder / "incoming-7"} << "x";
    std::ofstream{options.folder / "catatan.txt"} << "x";
    cache_storage = CacheStorage::open(clock, options).value();
    EXPECT_EQ(files_in_folder(), 1U);
    EXPECT_TRUE(exists("catatan.txt"));
}

TEST_F(CacheStorageTest, BelongsToOneServer) {
    const auto second = CacheStorage::open(clock, options);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
}

TEST_F(CacheStorageTest, SaysWhatIsWrongWithItsFolder) {
    std::ofstream{folder.path() / "file"} << "x";
    const auto opened = CacheStorage::open(clock, {.folder = folder.path() / "file" / "media"});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::io_failed);
    EXPECT_NE(opened.error().detail.find("media.folder"), std::string::npos);
}

TEST_F(CacheStorageTest, FailsToWriteWithoutHarm) {
    auto file = cache_storage->incoming();
    const auto former_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit former{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &former), 0);
    const rlimit small{.rlim_cur = 1'000, .rlim_max = former.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = file->put(as_bytes(std::string(2'000, 'x')));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &former), 0);
    std::signal(SIGXFSZ, former_handler);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::io_failed);
}

}  // namespace
}  // namespace merpati::media
