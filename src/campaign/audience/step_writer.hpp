// Writes many rows in steps that delay no other commit for long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "campaign/audience/upload.hpp"

namespace merpati::campaign {

/// How many rows a step has, so that writing them takes about `target`. Follows the machine and the
/// size of the tables.
class StepSize {
public:
    static constexpr std::chrono::microseconds target{1'500};
    static constexpr std::size_t rows_min = 16;
    static constexpr std::size_t rows_max = 2'000;

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

    void note(std::size_t rows, SteadyTime::duration took) noexcept {
        const auto micros = std::max<std::int64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(took).count(), 1);
        const auto fitting = static_cast<std::int64_t>(rows) * target.count() / micros;
        const auto next = (static_cast<std::int64_t>(rows_) + fitting) / 2;
        rows_ = static_cast<std::size_t>(
            std::clamp(next, std::int64_t{rows_min}, std::int64_t{rows_max}));
    }

private:
    std::size_t rows_ = 128;
};

/// Collects rows, and writes them in changes, each of which is a step. Changes may run more than
/// once before they are durable, so a step counts in a copy of `counts`, which replaces them then.
/// After each step it rests for as long as the step took, so that an import takes half of the
/// committer's time at most: the accepts beside it then wait for a step now and then, not always.
///
/// Memory: `held_bytes` and the rows of one step, some `step_bytes_max` at most.
template <class Row, class Counts>
class StepWriter {
public:
    /// Called in a change, on the committer's thread.
    using Write = std::function<Result<void>(store::Tables&, std::span<const Row>, Counts&)>;
    static constexpr std::size_t step_bytes_max = 262'144;

    /// Nothing is written before the rows have `held_bytes`, or `flush` is called.
    StepWriter(const ImportMeans& means, Counts& counts, Write write, std::size_t held_bytes = 0)
        : means_(means), counts_(counts), write_(std::move(write)), held_bytes_(held_bytes) {}

    /// `bytes`: the row's size, roughly.
    [[nodiscard]] Result<void> add(Row row, std::size_t bytes) {
        rows_.push_back(std::move(row));
        bytes_ += bytes;
        if (bytes_ < held_bytes_) {
            return {};
        }
        held_bytes_ = 0;
        const bool is_full = rows_.size() >= size_.rows() || bytes_ >= step_bytes_max;
        return is_full ? flush() : Result<void>{};
    }

    /// Writes what was added.
    [[nodiscard]] Result<void> flush() {
        std::span<const Row> left = rows_;
        while (!left.empty()) {
            const auto step = left.first(std::min(left.size(), size_.rows()));
            if (auto written = write(step); !written) {
                return written;
            }
            left = left.subspan(step.size());
        }
        rows_.clear();
        bytes_ = 0;
        return {};
    }

private:
    Result<void> write(std::span<const Row> step) {
        SteadyTime::duration took{};
        Counts counts;
        auto written = means_.change([&](store::Tables& tables) -> Result<void> {
            const auto begun = means_.clock.steady_now();
            counts = counts_;
            auto result = write_(tables, step, counts);
            took = means_.clock.steady_now() - begun;
            return result;
        });
        size_.note(step.size(), took);
        std::this_thread::sleep_for(took);
        if (written) {
            counts_ = std::move(counts);
        }
        return written;
    }

    const ImportMeans& means_;
    Counts& counts_;
    Write write_;
    std::size_t held_bytes_;
    StepSize size_;
    std::vector<Row> rows_;
    std::size_t bytes_ = 0;
};

}  // namespace merpati::campaign
