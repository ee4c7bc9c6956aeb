#include "telemetry/metrics.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "base/assert.hpp"

namespace merpati::telemetry {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

ClientMetric metric_of(const Sample& sample, bool counter) {
    ClientMetric metric;
    for (const auto& [name, value] : sample.labels) {
        metric.label.push_back({std::string{name}, value});
    }
    (counter ? metric.counter.value : metric.gauge.value) = sample.value;
    return metric;
}

ClientMetric metric_of(const Histogram& histogram) {
    ClientMetric metric;
    std::uint64_t count = 0;
    const auto bounds = histogram.bounds();
    for (std::size_t place = 0; place <= bounds.size(); ++place) {
        count += histogram.bucket(place);
        const double bound =
            place < bounds.size() ? bounds[place] : std::numeric_limits<double>::infinity();
        metric.histogram.bucket.push_back({.cumulative_count = count, .upper_bound = bound});
    }
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = histogram.sum();
    return metric;
}

}  // namespace

Histogram::Histogram(std::span<const double> bounds) : bounds_(bounds) {
    invariant(bounds.size() <= bounds_max && std::ranges::is_sorted(bounds),
              "a histogram has few bounds, in rising order");
}

void Histogram::observe(double value) noexcept {
    const auto place = std::ranges::lower_bound(bounds_, value);
    buckets_[static_cast<std::size_t>(place - bounds_.begin())].add();
    millionths_.add(static_cast<std::uint64_t>(std::max(0.0, value) * 1e6));
}

std::string render_metrics(const std::vector<Figure>& figures) {
    std::vector<MetricFamily> families;
    families.reserve(figures.size());
    for (const auto& figure : figures) {
        auto& family = families.emplace_back();
        family.name = figure.name;
        family.help = figure.help;
        if (figure.histogram != nullptr) {
            family.type = MetricType::Histogram;
            family.metric.push_back(metric_of(*figure.histogram));
            continue;
        }
        family.type = figure.counter ? MetricType::Counter : MetricType::Gauge;
        for (const auto& sample : figure.samples) {
            family.metric.push_back(metric_of(sample, figure.counter));
        }
    }
    std::ostringstream out;
    prometheus::TextSerializer{}.Serialize(out, families);
    return out.str();
}

}  // namespace merpati::telemetry
