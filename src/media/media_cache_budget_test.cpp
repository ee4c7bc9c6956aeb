// Files stay within the byte budget, whatever hosts send and messages hold.
#include <gtest/gtest.h>

#include "media/media_cache_fixture.hpp"
#include "model/texts.hpp"

namespace merpati::media {
namespace {

using model::Revision;
using model::StatusCode;
using outbound::ScriptedReply;
using namespace std::chrono_literals;

constexpr model::AccountId greedy{1};
constexpr model::AccountId shop{2};

struct MediaCacheBudgetTest : MediaCacheTest {
    /// Each path has different content, of one block.
    void SetUp() override {
        for (int number = 0; number < 40; ++number) {
            serve("/" + std::to_string(number),
                  answer("200 OK", "Content-Type: image/png\r\n", png + std::to_string(number)));
        }
    }
    std::shared_ptr<Asked> ask_number(int number, model::AccountId account = greedy) {
        return ask(url("/" + std::to_string(number)), Revision::a, account);
    }
    [[nodiscard]] std::uint64_t bytes_in_folder() const {
        std::uint64_t bytes = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator{options.folder}) {
            if (entry.is_regular_file() && entry.path().filename() != "lock") {
                bytes += CacheStorage::room_of(entry.file_size());
            }
        }
        return bytes;
    }
};

TEST_F(MediaCacheBudgetTest, FilesOfWaitingMessagesCountAndFurtherOnesWait) {
    std::vector<std::shared_ptr<Asked>> all;
    all.reserve(40);
    for (int number = 0; number < 40; ++number) {
        all.push_back(ask_number(number));
    }
    for (std::size_t sent = 0; sent < all.size();) {
        run_until([&] {
            return std::ranges::any_of(all, [](auto& one) { return one->result.has_value(); });
        });
        for (auto& one : all) {
            EXPECT_LE(bytes_in_folder(), options.kept_bytes_max);
            EXPECT_LE(core.counts().kept_bytes, options.kept_bytes_max);
            if (one->result) {
                EXPECT_TRUE(one->result->has_value());
                one->result.reset();  // It is sent, and releases its file.
                ++sent;
            }
        }
        if (core.counts().in_flight == 0) {
            clock.advance(20s);  // Longer than the patience, which does not count for this wait.
        }
    }
    EXPECT_EQ(core.counts().failed_total, 0U);
}

TEST_F(MediaCacheBudgetTest, AnotherAccountsFileFindsRoomAtOnce) {
    std::vector<std::shared_ptr<Asked>> all;
    for (int number = 0; number < 40; ++number) {
        all.push_back(ask_number(number));
    }
    run_until([&] { return core.counts().in_flight == 0; });
    EXPECT_TRUE(wait_for(ask_number(7, shop)));
    EXPECT_LE(bytes_in_folder(), options.kept_bytes_max);
}

TEST_F(MediaCacheBudgetTest, AFileOfUnknownLengthIsReservedWhole) {
    serve("/chunked", [](const std::string&) {
        return ScriptedReply{.bytes =
                                 "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
                             .again = "1\r\nx\r\n",
                             .pause = 5ms};
    });
    const auto slow = ask(url("/chunked", "slow.test"));
    run_until([&] { return files_in_folder() == 1; });
    EXPECT_EQ(core.counts().kept_bytes, options.kept_bytes_max);
    const auto waits = ask_number(1, shop);
    run_until([&] { return asked("GET /1 ") == 1 && core.counts().waiting == 1; });
    core.close();
    client.close();
    EXPECT_TRUE(slow->result && waits->result);
    EXPECT_EQ(core.counts().kept_bytes, 0U);
}

TEST_F(MediaCacheBudgetTest, AFileLargerThanTheWholeBudgetFails) {
    serve("/large", answer("200 OK", "Content-Type: text/csv\r\n",
                           std::string(options.kept_bytes_max + 1, 'x')));
    serve("/most",
          answer("200 OK", "Content-Type: text/csv\r\n", std::string(options.kept_bytes_max, 'x')));
    expect_failed(fetched(url("/large")), StatusCode::failed, model::details::file_too_large);
    EXPECT_TRUE(fetched(url("/most")));
}

TEST_F(MediaCacheBudgetTest, AFileThatChangedTakesTheRoomOfTheOneItWas) {
    std::string body(options.kept_bytes_max, 'x');
    serve("/a", [&body](const std::string&) {
        return ScriptedReply{answer("200 OK", "Content-Type: text/csv\r\nETag: \"1\"\r\n", body)};
    });
    EXPECT_TRUE(fetched(url("/a")));
    clock.advance(options.fresh_for);
    body.back() = 'y';
    EXPECT_TRUE(fetched(url("/a")));
    EXPECT_EQ(files_in_folder(), 1U);
}

}  // namespace
}  // namespace merpati::media
