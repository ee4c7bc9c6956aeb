#include "cli/campaign/watch_view.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/campaign.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::cli::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

boost::json::object running(int sent, int failed = 0) {
    return {{"id", "cmp_1"},
            {"state", "running"},
            {"reason", nullptr},
            {"until", nullptr},
            {"schedule_at", nullptr},
            {"counts",
             {{"total", 100},
              {"pending", 95 - sent - failed},
              {"queued", 5},
              {"sent", sent},
              {"failed", failed},
              {"skipped", 0},
              {"uncertain", 0},
              {"cancelled", 0},
              {"delivered", 0},
              {"read", 0}}},
            {"rate_per_minute", 58.25},
            {"ends_at", nullptr}};
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

struct WatchViewTest : ::testing::Test {
    merpati::testing::ManualClock clock;
    std::ostringstream out;
    std::ostringstream err;
    Console console{.out = out, .err = err, .environment = {}};
};

TEST_F(WatchViewTest, JsonHasALineForEachChangeAndNoneForTheSpeed) {
    WatchView view{console, WatchView::Form::json};
    auto campaign = running(10);
    view.show(campaign, clock);
    campaign["rate_per_minute"] = 60;
    view.show(campaign, clock);
    EXPECT_EQ(lines_of(out.str()), 1U);
    view.show(running(11), clock);
    EXPECT_EQ(lines_of(out.str()), 2U);
    campaign = running(11);
    campaign["reason"] = "quiet_hours";
    view.show(campaign, clock);
    EXPECT_EQ(lines_of(out.str()), 3U);
    const auto first = boost::json::parse(out.str().substr(0, out.str().find('\n')));
    EXPECT_EQ(first.at("counts").at("sent"), 10);
    EXPECT_FALSE(first.as_object().contains("message"));
}

TEST_F(WatchViewTest, WithoutATerminalALineComesWithAReasonOrAfterAWhile) {
    WatchView view{console, WatchView::Form::people};
    view.show(running(10), clock);
    EXPECT_EQ(out.str(), " 10%  10/100, 58.2 a minute\n");
    view.show(running(20), clock);
    EXPECT_EQ(lines_of(out.str()), 1U);
    auto waits = running(20);
    waits["reason"] = "devices";
    view.show(waits, clock);
    EXPECT_THAT(out.str(), EndsWith(" 20%  20/100; running: none of its devices can send now\n"));
    clock.advance(WatchView::line_every);
    view.show(waits, clock);
    EXPECT_EQ(lines_of(out.str()), 2U) << "nothing has changed";
    waits = running(30);
    waits["reason"] = "devices";
    view.show(waits, clock);
    EXPECT_EQ(lines_of(out.str()), 3U);
    EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
}

TEST_F(WatchViewTest, OnATerminalTheLineIsDrawnInPlaceAndErased) {
    console.columns = 80;
    WatchView view{console, WatchView::Form::people};
    auto campaign = running(47, 3);
    campaign["ends_at"] = to_rfc3339(clock.now() + 8min);
    view.show(campaign, clock);
    EXPECT_EQ(out.str(),
              "\r\x1b[K[#############.............]  50%  50/100, 3 failed, 58.2 a minute, 8 min "
              "left");
    view.end();
    EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
    EXPECT_EQ(lines_of(out.str()), 0U);
}

TEST_F(WatchViewTest, ASilentServerIsToldOnce) {
    WatchView view{console, WatchView::Form::json};
    view.show_silence();
    view.show_silence();
    EXPECT_THAT(out.str(), IsEmpty());
    EXPECT_EQ(lines_of(err.str()), 1U);
    view.show(running(1), clock);
    view.show_silence();
    EXPECT_EQ(lines_of(err.str()), 2U);
}

TEST_F(WatchViewTest, AScheduledCampaignSaysWhenItBegins) {
    auto campaign = running(0);
    campaign["state"] = "scheduled";
    campaign["schedule_at"] = "2027-01-31T02:00:00.000Z";
    EXPECT_THAT(progress_of(campaign, clock.now()),
                EndsWith("; begins at 2027-01-31T02:00:00.000Z"));
}

TEST_F(WatchViewTest, EveryReasonHasItsWords) {
    for (auto reason = model::CampaignReason::asked; reason <= model::campaign_reason_last;
         reason = static_cast<model::CampaignReason>(std::to_underlying(reason) + 1)) {
        EXPECT_FALSE(explain_reason(to_string(reason)).empty()) << to_string(reason);
    }
    EXPECT_THAT(explain_reason("another"), IsEmpty());
}

TEST_F(WatchViewTest, ACampaignWithoutRecipientsHasDoneNothing) {
    boost::json::object campaign = running(0);
    for (auto& [state, count] : campaign["counts"].as_object()) {
        count = 0;
    }
    EXPECT_EQ(part_done(campaign), 0);
}

}  // namespace
}  // namespace merpati::cli::testing
