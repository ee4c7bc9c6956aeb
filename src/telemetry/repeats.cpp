#include "telemetry/repeats.hpp"

#include <algorithm>

namespace merpati::telemetry {

bool Repeats::admit(std::string_view room, std::string_view message, Level level, SteadyTime now) {
    auto line = std::ranges::find_if(
        known_, [&](const Line& known) { return known.room == room && known.message == message; });
    if (line == known_.end()) {
        const auto of_room = std::ranges::count(known_, room, &Line::room);
        if (known_.size() < known_max && static_cast<std::size_t>(of_room) < known_of_room_max) {
            known_.push_back({.room = std::string{room},
                              .message = std::string{message},
                              .level = level,
                              .written = 1,
                              .ends_at = now + period});
        }
        return true;
    }
    if (line->written == lines_max) {
        ++line->left_out;
        return false;
    }
    ++line->written;
    return true;
}

std::vector<Repeats::Line> Repeats::ended(SteadyTime now) {
    std::vector<Line> passed;
    std::erase_if(known_, [&](Line& line) {
        const bool over = now >= line.ends_at;
        if (over && line.left_out > 0) {
            passed.push_back(std::move(line));
        }
        return over;
    });
    return passed;
}

}  // namespace merpati::telemetry
