#include "telemetry/metrics.hpp"

#include <gtest/gtest.h>

namespace merpati::telemetry {
namespace {

TEST(MetricsTest, RendersCountersReadingsAndTheHistogram) {
    Metrics metrics;
    metrics.accepted_b.add(3);
    metrics.commits.observe(0.002);
    metrics.commits.observe(9);
    const auto page = render_metrics(
        metrics, {{.name = "merpati_lanes", .help = "Lanes", .read = [] { return 7.0; }}});
    for (const auto* line :
         {"merpati_messages_accepted_total{revision=\"B\"} 3\n", "# TYPE merpati_lanes gauge\n",
          "merpati_lanes 7\n", "merpati_commit_duration_seconds_count 2\n",
          "merpati_commit_duration_seconds_bucket{le=\"0.001\"} 0\n",
          "merpati_commit_duration_seconds_bucket{le=\"0.0025\"} 1\n",
          "merpati_commit_duration_seconds_bucket{le=\"+Inf\"} 2\n"}) {
        EXPECT_NE(page.find(line), std::string::npos) << line << page;
    }
}

}  // namespace
}  // namespace merpati::telemetry
