#include "campaign/media_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using media::ProbeVerdict;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct MediaCheckTest : ::testing::Test {
    outbound::AddressPolicy policy{{}};
    std::vector<std::string> probed;
    std::optional<ProbeVerdict> verdict = ProbeVerdict::acceptable;
    MediaProbe probe = [this](const std::vector<std::string>& urls) {
        EXPECT_LE(urls.size(), MediaCheck::step);
        probed.insert(probed.end(), urls.begin(), urls.end());
        return std::vector(urls.size(), verdict);
    };
    MediaCheck check{policy, probe};
};

TEST_F(MediaCheckTest, ProbesEachAddressOnce) {
    for (int place = 0; place < 250; ++place) {
        check.add("https://example.org/" + std::to_string(place % 125));
    }
    EXPECT_THAT(check.finish(), IsEmpty());
    EXPECT_EQ(probed.size(), 125U);
}

TEST_F(MediaCheckTest, RefusedFilesAreOneProblem) {
    verdict = ProbeVerdict::inaccessible;
    check.add("https://example.org/a");
    check.add("https://example.org/b");
    const auto problems = check.finish();
    ASSERT_THAT(problems, SizeIs(1));
    const auto* problem = &problems.front();
    EXPECT_EQ(problem->code, "media");
    EXPECT_EQ(problem->count, 2);
    EXPECT_TRUE(problem->blocking);
    EXPECT_EQ(problem->detail,
              "the file at 'https://example.org/a' cannot be sent: its host says that it is not "
              "there, or not for everybody");
}

TEST_F(MediaCheckTest, FilesThatWereNotSeenDoNotBlock) {
    verdict = ProbeVerdict::undecided;
    check.add("https://example.org/a");
    EXPECT_THAT(check.finish(), SizeIs(1));
    verdict.reset();
    check.add("https://example.org/b");
    const auto problems = check.finish();
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_EQ(problems.front().code, "media_unchecked");
    EXPECT_EQ(problems.front().count, 2);
    EXPECT_FALSE(problems.front().blocking);
    EXPECT_EQ(problems.front().detail,
              "the file at 'https://example.org/a' was not seen in time: it is judged when its "
              "message is sent");
}

TEST_F(MediaCheckTest, AddressesThatCannotBeFetchedAreNotProbed) {
    check.add("ftp://example.org/a");
    check.add("http://127.0.0.1/a");
    const auto problems = check.finish();
    ASSERT_THAT(problems, SizeIs(1));
    const auto* problem = &problems.front();
    EXPECT_EQ(problem->count, 2);
    EXPECT_EQ(
        problem->detail,
        "the file at 'ftp://example.org/a' cannot be sent: the URL is neither http nor https");
    EXPECT_TRUE(probed.empty());
}

TEST_F(MediaCheckTest, WithoutAProbeOnlyTheFormIsJudged) {
    const MediaProbe nobody;
    MediaCheck offline{policy, nobody};
    offline.add("https://example.org/a");
    EXPECT_THAT(offline.finish(), IsEmpty());
}

TEST_F(MediaCheckTest, LooksAtManyAddressesAndNoMore) {
    for (std::size_t place = 0; place < MediaCheck::urls_max + 50; ++place) {
        check.add("https://example.org/" + std::to_string(place));
    }
    const auto problems = check.finish();
    EXPECT_EQ(probed.size(), MediaCheck::urls_max);
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_EQ(problems.front().code, "media_unchecked");
    EXPECT_EQ(problems.front().count, 50);
}

}  // namespace
}  // namespace merpati::campaign
