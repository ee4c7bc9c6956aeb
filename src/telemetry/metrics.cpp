#include "telemetry/metrics.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace merpati::telemetry {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily family(std::string_view name, std::string_view help, MetricType type) {
    MetricFamily made;
    made.name = name;
    made.help = help;
    made.type = type;
    return made;
}

void add_counter(MetricFamily& to, std::string_view label, std::string_view value,
                 const Counter& counter) {
    ClientMetric metric;
    metric.label.push_back({std::string{label}, std::string{value}});
    metric.counter.value = static_cast<double>(counter.value());
    to.metric.push_back(metric);
}

MetricFamily commit_durations(const DurationHistogram& histogram) {
    auto made = family("merpati_commit_duration_seconds",
                       "How long a group commit took, fsync included", MetricType::Histogram);
    ClientMetric metric;
    std::uint64_t count = 0;
    for (std::size_t place = 0; place < histogram.buckets.size(); ++place) {
        count += histogram.buckets[place].value();
        const double bound = place < DurationHistogram::bounds.size()
                                 ? DurationHistogram::bounds[place]
                                 : std::numeric_limits<double>::infinity();
        metric.histogram.bucket.push_back({.cumulative_count = count, .upper_bound = bound});
    }
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = static_cast<double>(histogram.microseconds.value()) / 1e6;
    made.metric.push_back(metric);
    return made;
}

}  // namespace

void DurationHistogram::observe(double seconds) noexcept {
    const auto* place = std::ranges::lower_bound(bounds, seconds);
    buckets[static_cast<std::size_t>(place - bounds.begin())].add();
    microseconds.add(static_cast<std::uint64_t>(std::max(0.0, seconds) * 1e6));
}

std::string render_metrics(const Metrics& metrics, const std::vector<Reading>& readings) {
    std::vector<MetricFamily> families;
    auto accepted = family("merpati_messages_accepted_total",
                           "Messages stored and acknowledged, by revision", MetricType::Counter);
    add_counter(accepted, "revision", "A", metrics.accepted_a);
    add_counter(accepted, "revision", "B", metrics.accepted_b);
    families.push_back(std::move(accepted));
    auto finished =
        family("merpati_messages_finished_total", "Messages ended, by state", MetricType::Counter);
    add_counter(finished, "state", "sent", metrics.sent);
    add_counter(finished, "state", "failed", metrics.failed);
    add_counter(finished, "state", "cancelled", metrics.cancelled);
    add_counter(finished, "state", "held", metrics.held);
    families.push_back(std::move(finished));
    families.push_back(commit_durations(metrics.commits));
    const auto add_plain = [&families](std::string_view name, std::string_view help, bool counter,
                                       double value) {
        auto made = family(name, help, counter ? MetricType::Counter : MetricType::Gauge);
        ClientMetric metric;
        (counter ? metric.counter.value : metric.gauge.value) = value;
        made.metric.push_back(metric);
        families.push_back(std::move(made));
    };
    add_plain("merpati_requests_refused_total", "Requests refused after their key was known", true,
              static_cast<double>(metrics.refused.value()));
    add_plain("merpati_commit_operations_total", "Operations made durable by group commits", true,
              static_cast<double>(metrics.commit_operations.value()));
    for (const auto& reading : readings) {
        add_plain(reading.name, reading.help, reading.counter, reading.read());
    }
    std::ostringstream out;
    prometheus::TextSerializer{}.Serialize(out, families);
    return out.str();
}

}  // namespace merpati::telemetry
