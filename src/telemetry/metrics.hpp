// Figures for Prometheus. No label ever carries a number, a name or a URL.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::telemetry {

/// Counts up; one relaxed atomic step, so that the hot path can afford it.
class Counter {
public:
    void add(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Durations in fixed buckets, for rates and quantiles.
class DurationHistogram {
public:
    static constexpr std::array<double, 10> bounds{0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                   0.025,  0.05,  0.1,    0.5,   2.5};  // Seconds.

    void observe(double seconds) noexcept;

    std::array<Counter, bounds.size() + 1> buckets;
    Counter microseconds;
};

/// What is counted while it happens.
struct Metrics {
    Counter accepted_a;
    Counter accepted_b;
    Counter refused;
    Counter sent;
    Counter failed;
    Counter cancelled;
    Counter held;
    Counter commit_operations;
    DurationHistogram commits;
};

/// A figure read when it is asked for.
struct Reading {
    std::string_view name;  // "merpati_lanes"
    std::string_view help;
    bool counter = false;  // Else a gauge.
    std::function<double()> read;
};

/// The page of GET /metrics, in Prometheus' text format.
[[nodiscard]] std::string render_metrics(const Metrics& metrics,
                                         const std::vector<Reading>& readings);

}  // namespace merpati::telemetry
