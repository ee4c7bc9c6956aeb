#include "telemetry/metrics.hpp"

#include <gtest/gtest.h>

namespace merpati::telemetry {
namespace {

void expect_lines(const std::string& page, std::initializer_list<const char*> lines) {
    for (const auto* line : lines) {
        EXPECT_NE(page.find(line), std::string::npos) << line << page;
    }
}

TEST(MetricsTest, RendersCountersAndGaugesWithTheirLabels) {
    const auto page = render_metrics({
        {.name = "merpati_lanes", .help = "Lanes", .samples = {{.value = 7}}},
        {.name = "merpati_x_total",
         .help = "X",
         .counter = true,
         .samples = {{.labels = {{"state", "failed"}, {"code", "1001"}}, .value = 3},
                     {.labels = {{"state", "sent"}, {"code", "200"}}}}},
    });
    expect_lines(page, {"# TYPE merpati_lanes gauge\n", "merpati_lanes 7\n",
                        "# TYPE merpati_x_total counter\n",
                        "merpati_x_total{state=\"failed\",code=\"1001\"} 3\n",
                        "merpati_x_total{state=\"sent\",code=\"200\"} 0\n"});
}

TEST(MetricsTest, PutsEachValueIntoTheFirstBucketThatHoldsIt) {
    static constexpr std::array bounds{1.0, 4.0};
    Histogram histogram{bounds};
    for (const double value : {0.5, 1.0, 4.5}) {
        histogram.observe(value);
    }
    const auto page = render_metrics({{.name = "h", .help = "H", .histogram = &histogram}});
    expect_lines(page,
                 {"# TYPE h histogram\n", "h_count 3\n", "h_sum 6\n", "h_bucket{le=\"1\"} 2\n",
                  "h_bucket{le=\"4\"} 2\n", "h_bucket{le=\"+Inf\"} 3\n"});
}

}  // namespace
}  // namespace merpati::telemetry
