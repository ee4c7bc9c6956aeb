// Writes many rows in steps that delay no other commit for long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "campaign/audience/upload.hpp"
#include "campaign/step_size.hpp"

namespace merpati::campaign {

/// Collects rows, and writes them in changes, each of which is a step. Changes may run more than
/// once before they are durable, so a step counts in a copy of `counts`, which replaces them then.
/// If others commit too, it rests after each step for `rest` times as long as the step took: the
/// accepts beside an import then wait for a step now and then, not always.
///
/// Memory: `held_bytes` and the rows of one step, some `step_bytes_max` at most.
template <class Row, class Counts>
class StepWriter {
public:
    /// Called in a change, on the committer's thread.
    using Write = std::function<Result<void>(store::Tables&, std::span<const Row>, Counts&)>;
    static constexpr std::size_t step_bytes_max = 262'144;
    static constexpr std::size_t step_rows_max = 2'000;
    static constexpr std::chrono::microseconds step_target{1'000};
    static constexpr int rest = 3;

    /// Nothing is written before the rows have `held_bytes`, or `flush` is called.
    StepWriter(const ImportRooms& rooms, Counts& counts, Write write, std::size_t held_bytes = 0)
        : rooms_(rooms), counts_(counts), write_(std::move(write)), held_bytes_(held_bytes) {}

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
        auto written = rooms_.change([&](store::Tables& tables) -> Result<void> {
            const auto begun = rooms_.clock.steady_now();
            counts = counts_;
            auto result = write_(tables, step, counts);
            took = rooms_.clock.steady_now() - begun;
            return result;
        });
        size_.note(step.size(), took);
        const auto operations = operations_of_all();
        if (operations - std::exchange(operations_, operations) > 1) {
            std::this_thread::sleep_for(rest * took);
        }
        if (written) {
            counts_ = std::move(counts);
        }
        return written;
    }

    [[nodiscard]] std::uint64_t operations_of_all() const {
        return rooms_.operations ? rooms_.operations() : 0;
    }

    const ImportRooms& rooms_;
    Counts& counts_;
    Write write_;
    std::size_t held_bytes_;
    StepSize size_{step_target, step_rows_max};
    std::uint64_t operations_ = operations_of_all();  // Of all, after the last step.
    std::vector<Row> rows_;
    std::size_t bytes_ = 0;
};

}  // namespace merpati::campaign
