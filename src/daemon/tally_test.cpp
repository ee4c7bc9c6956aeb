#include "daemon/tally.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const Tally& tally) {
    std::vector<telemetry::Figure> figures;
    tally.add_to(figures);
    return telemetry::render_metrics(figures);
}

TEST(TallyTest, CountsEachReasonRevisionStateAndCodeByItself) {
    Tally tally;
    tally.accepted(model::Revision::b);
    tally.refused(api::Refusal::rate_exceeded);
    tally.finished(
        {.state = model::MessageState::failed, .code = model::StatusCode::recipient_invalid});
    tally.committed(3, std::chrono::milliseconds{4});
    const auto page = page_of(tally);
    for (const auto* line :
         {"accepted_total{revision=\"A\"} 0\n", "accepted_total{revision=\"B\"} 1\n",
          "refused_total{reason=\"rate_exceeded\"} 1\n",
          "refused_total{reason=\"key_invalid\"} 0\n",
          "finished_total{state=\"failed\",code=\"1002\"} 1\n",
          "finished_total{state=\"failed\",code=\"1001\"} 0\n",
          "finished_total{state=\"sent\",code=\"200\"} 0\n",
          "commit_size_operations_bucket{le=\"2\"} 0\n",
          "commit_size_operations_bucket{le=\"4\"} 1\n", "commit_size_operations_sum 3\n",
          "commit_duration_seconds_bucket{le=\"0.0025\"} 0\n",
          "commit_duration_seconds_bucket{le=\"0.005\"} 1\n"}) {
        EXPECT_THAT(page, HasSubstr(line));
    }
}

TEST(TallyTest, ShowsNoEndOrReasonThatCannotCome) {
    const auto page = page_of(Tally{});
    for (const auto* label : {"state=\"pending\"", "state=\"sent\",code=\"500\"",
                              "state=\"cancelled\",code=\"1001\"", "reason=\"not_found\""}) {
        EXPECT_THAT(page, Not(HasSubstr(label)));
    }
}

}  // namespace
}  // namespace merpati::daemon
