// Limits repeated log lines, so that they do not fill the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "telemetry/level.hpp"

namespace merpati::telemetry {

/// Operation: the first `lines_max` lines with the same message and room are admitted. Further ones
/// within `period` of the first are only counted; `ended` returns the count after the period.
///
/// Threads: one at a time.
///
/// Limits: `known_max` different lines at a time, `known_of_room_max` of one room, so that a room
/// that never repeats itself leaves room for others. Lines beyond these limits are admitted.
class Repeats {
public:
    static constexpr std::uint64_t lines_max = 20;
    static constexpr std::chrono::minutes period{1};
    static constexpr std::size_t known_max = 64;
    static constexpr std::size_t known_of_room_max = 16;

    struct Line {
        std::string room;
        std::string message;
        Level level = Level::warn;
        std::uint64_t left_out = 0;
        std::uint64_t written = 0;
        SteadyTime ends_at;
    };

    /// Whether to write this line.
    [[nodiscard]] bool admit(std::string_view room, std::string_view message, Level level,
                             SteadyTime now);

    /// The lines whose period has passed and some of which were left out; each is returned once.
    [[nodiscard]] std::vector<Line> ended(SteadyTime now);

private:
    std::vector<Line> known_;
};

}  // namespace merpati::telemetry
