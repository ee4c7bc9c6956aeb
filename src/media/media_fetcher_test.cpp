#include "media/media_fetcher.hpp"

#include <future>

#include <gtest/gtest.h>

#include "model/texts.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

using enum ProbeVerdict;

struct MediaFetcherTest : ::testing::Test {
    void SetUp() override { ASSERT_TRUE(fetcher.start()); }

    ProbeVerdict probed() {
        std::promise<ProbeVerdict> verdict;
        fetcher.probe({1}, private_url, model::Revision::a,
                      [&verdict](ProbeVerdict result) { verdict.set_value(result); });
        return verdict.get_future().get();
    }
    FetchResult fetched() {
        model::Message message;
        message.media_url = private_url;
        std::promise<FetchResult> file;
        fetcher.fetch(message, [&file](FetchResult result) { file.set_value(std::move(result)); });
        return file.get_future().get();
    }

    static constexpr const char* private_url = "http://127.0.0.1:1/a";  // Ends at once.
    SystemClock clock;
    testing::TemporaryFolder folder;
    const outbound::AddressPolicy policy{{}};
    MediaFetcher fetcher{clock, policy, {}, {.probes = {}, .cache = {.folder = folder.path()}}};
};

TEST_F(MediaFetcherTest, ProbesAndFetchesOnAThreadOfItsOwn) {
    EXPECT_EQ(probed(), undecided);
    const auto result = fetched();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().details, model::details::file_inaccessible);
    fetcher.stop();
    EXPECT_EQ(fetcher.probe_counts().undecided_total, 1U);
    EXPECT_EQ(fetcher.cache_counts().failed_total, 1U);
}

TEST_F(MediaFetcherTest, AnswersAtOnceAfterItsStop) {
    fetcher.stop();
    EXPECT_EQ(probed(), undecided);
    EXPECT_EQ(fetched().error().kind, model::Outcome::Kind::retry);
}

}  // namespace
}  // namespace merpati::media
