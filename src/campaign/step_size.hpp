// How many rows are written in one step.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace merpati::campaign {

/// How many rows a step has, so that writing them takes about `target`, for which other commits
/// wait. Follows the machine and the size of the tables.
class StepSize {
public:
    static constexpr std::size_t rows_min = 16;

    StepSize(std::chrono::microseconds target, std::size_t rows_max)
        : target_(target), rows_max_(rows_max) {}

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

    void note(std::size_t rows, SteadyTime::duration took) noexcept {
        const auto micros = std::max<std::int64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(took).count(), 1);
        const auto fitting = static_cast<std::int64_t>(rows) * target_.count() / micros;
        const auto next = (static_cast<std::int64_t>(rows_) + fitting) / 2;
        rows_ = static_cast<std::size_t>(
            std::clamp(next, std::int64_t{rows_min}, static_cast<std::int64_t>(rows_max_)));
    }

private:
    std::chrono::microseconds target_;
    std::size_t rows_max_;
    std::size_t rows_ = 32;
};

}  // namespace merpati::campaign
