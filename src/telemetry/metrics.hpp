// Figures for Prometheus. No label ever carries a number, a name or a URL.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::telemetry {

/// Counts up by one relaxed atomic operation, so that hot paths can use it.
class Counter {
public:
    void add(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Values in fixed buckets, for rates and quantiles.
class Histogram {
public:
    static constexpr std::size_t bounds_max = 15;

    /// Upper bounds in rising order; they outlive the histogram.
    explicit Histogram(std::span<const double> bounds);

    void observe(double value) noexcept;

    [[nodiscard]] std::span<const double> bounds() const noexcept { return bounds_; }
    /// One more than there are bounds: the last has no upper bound.
    [[nodiscard]] std::uint64_t bucket(std::size_t place) const noexcept {
        return buckets_[place].value();
    }
    [[nodiscard]] double sum() const noexcept {
        return static_cast<double>(millionths_.value()) / 1e6;
    }

private:
    const std::span<const double> bounds_;
    std::array<Counter, bounds_max + 1> buckets_;
    Counter millionths_;
};

/// One value of a figure.
struct Sample {
    std::vector<std::pair<std::string_view, std::string>> labels;
    double value = 0;
};

/// A figure with its current values.
struct Figure {
    std::string_view name;  // "merpati_lanes"
    std::string_view help;
    bool counter = false;  // Else a gauge.
    std::vector<Sample> samples;
    const Histogram* histogram = nullptr;  // Instead of samples.
};

/// The page of GET /metrics, in Prometheus' text format.
[[nodiscard]] std::string render_metrics(const std::vector<Figure>& figures);

}  // namespace merpati::telemetry
