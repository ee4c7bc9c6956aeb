#include "campaign/media_check.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

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

/// A control whose probes wait for each other.
class WaitingControl final : public Control {
public:
    explicit WaitingControl(testing::ManualClock& clock) : clock_(clock) {}

    /// Each probe waits until so many are under way.
    std::size_t together = 1;
    std::chrono::seconds takes{0};

    bool wait_until_withdrawn(model::CampaignId /*id*/) override { return true; }
    Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& /*device*/, const model::CampaignTemplate& /*wanted*/) override {
        return fail(ErrorCode::conflict, "it asks nobody");
    }
    std::optional<Speed> speed_of(model::CampaignId /*id*/) override { return std::nullopt; }
    Result<model::MessageId> send_test(const model::Campaign& /*campaign*/,
                                       const TestSend& /*test*/,
                                       const admission::Principal& /*caller*/) override {
        return fail(ErrorCode::conflict, "it sends nothing");
    }
    std::optional<ProbeVerdict> probe_media(model::AccountId /*account*/,
                                            std::string url) override {
        std::unique_lock lock{mutex_};
        ++begun_;
        most_ = std::max(most_, ++under_way_);
        changed_.notify_all();
        constexpr std::chrono::seconds patience{20};
        EXPECT_TRUE(changed_.wait_for(lock, patience, [this] { return begun_ >= together; }));
        clock_.advance(takes);
        --under_way_;
        return url.ends_with('0') ? ProbeVerdict::inaccessible : ProbeVerdict::acceptable;
    }
    [[nodiscard]] std::size_t begun() const { return begun_; }
    [[nodiscard]] std::size_t most() const { return most_; }

private:
    testing::ManualClock& clock_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t begun_ = 0;
    std::size_t under_way_ = 0;
    std::size_t most_ = 0;
};

struct ProbesTest : ::testing::Test {
    static std::vector<std::string> urls(std::size_t count) {
        std::vector<std::string> made;
        for (std::size_t place = 0; place < count; ++place) {
            made.push_back("https://example.org/" + std::to_string(place));
        }
        return made;
    }

    testing::ManualClock clock;
    WaitingControl control{clock};
    MediaProbe probe = probe_in_time(clock, control, {1});
};

TEST_F(ProbesTest, FilesAreProbedSideBySideAndAnsweredInTheirOrder) {
    control.together = probes_max;
    const auto verdicts = probe(urls(3 * probes_max));
    EXPECT_EQ(control.begun(), 3 * probes_max);
    EXPECT_EQ(control.most(), probes_max);
    ASSERT_THAT(verdicts, SizeIs(3 * probes_max));
    EXPECT_EQ(verdicts[0], ProbeVerdict::inaccessible);
    EXPECT_EQ(verdicts[1], ProbeVerdict::acceptable);
    EXPECT_EQ(verdicts[20], ProbeVerdict::inaccessible);
}

TEST_F(ProbesTest, NoneBeginsOnceTheTimeOfACheckIsSpent) {
    control.takes = probing_max / 2;
    EXPECT_EQ(probe(urls(1)).front(), ProbeVerdict::inaccessible);
    clock.advance(10 * probing_max);  // Others had their turn.
    EXPECT_EQ(probe(urls(1)).front(), ProbeVerdict::inaccessible);
    EXPECT_EQ(probe(urls(1)).front(), std::nullopt);
    EXPECT_EQ(control.begun(), 2U);
}

}  // namespace
}  // namespace merpati::campaign
