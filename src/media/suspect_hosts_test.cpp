#include "media/suspect_hosts.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "testing/temporary_folder.hpp"

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

constexpr const char* suspect = "http://suspect.test";
constexpr const char* other = "http://other.test";

struct SuspectHostsTest : ::testing::Test {
    [[nodiscard]] SuspectHosts start() const { return SuspectHosts{file, 8, now, {}}; }

    testing::TemporaryFolder folder;
    const std::string file = folder.file("under-way");
    const SteadyTime now{1h};
};

TEST_F(SuspectHostsTest, PutsOffWhatWasUnderWayAtACrash) {
    {
        auto hosts = start();
        hosts.begin(suspect);
        hosts.begin(other);
        hosts.end(other);
    }
    const auto hosts = start();
    EXPECT_EQ(hosts.put_off_until(suspect, now), now + 2s);
    EXPECT_EQ(hosts.put_off_until(suspect, now + 2s), std::nullopt);
    EXPECT_EQ(hosts.put_off_until(other, now), std::nullopt);
}

TEST_F(SuspectHostsTest, AHostIsUnderWayUntilItsLastRequestHasEnded) {
    {
        auto hosts = start();
        hosts.begin(suspect);
        hosts.begin(suspect);
        hosts.end(suspect);
    }
    EXPECT_TRUE(start().put_off_until(suspect, now));
    {
        auto hosts = start();
        hosts.begin(suspect);
        hosts.end(suspect);
    }
    EXPECT_FALSE(start().put_off_until(suspect, now));
}

TEST_F(SuspectHostsTest, AnOrderlyEndForgetsThemAll) {
    {
        auto hosts = start();
        hosts.begin(suspect);
    }
    {
        auto hosts = start();
        hosts.clear();
    }
    EXPECT_FALSE(start().put_off_until(suspect, now));
}

TEST_F(SuspectHostsTest, WorksWithoutAFileAndReportsOneThatCannotBeMade) {
    std::vector<ErrorCode> errors;
    for (const auto& path : {std::string{}, folder.file("missing/under-way")}) {
        SuspectHosts hosts{path, 8, now,
                           [&errors](const Error& error) { errors.push_back(error.code); }};
        hosts.begin(suspect);
        hosts.end(suspect);
        hosts.clear();
        EXPECT_FALSE(hosts.put_off_until(suspect, now));
    }
    EXPECT_EQ(errors, std::vector{ErrorCode::io_failed});
}

}  // namespace
}  // namespace merpati::media
