#include "config/duration.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/number.hpp"

namespace merpati::config {
namespace {

using std::chrono::milliseconds;

/// Any number of days with so many digits fits 64 bits of milliseconds.
constexpr std::size_t digits_max = 10;

struct Unit {
    std::string_view name;
    milliseconds length;
};

constexpr std::array<Unit, 5> units{{{"d", std::chrono::days{1}},
                                     {"h", std::chrono::hours{1}},
                                     {"m", std::chrono::minutes{1}},
                                     {"s", std::chrono::seconds{1}},
                                     {"ms", milliseconds{1}}}};

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text, milliseconds bare) noexcept {
    const auto digits = text.find_first_not_of("0123456789");
    const auto number = text.substr(0, digits);
    const auto count = parse_whole<std::int64_t>(number);
    if (!count || number.size() > digits_max) {
        return std::nullopt;
    }
    if (digits == std::string_view::npos) {
        return *count * bare;
    }
    for (const auto& unit : units) {
        if (text.substr(digits) == unit.name) {
            return *count * unit.length;
        }
    }
    return std::nullopt;
}

std::string print_duration(milliseconds duration) {
    for (const auto& unit : units) {
        const bool days = unit.length == std::chrono::days{1};
        if (duration % unit.length == milliseconds{0} && duration >= unit.length * (days ? 2 : 1)) {
            return fmt::format("{}{}", duration / unit.length, unit.name);
        }
    }
    return "0s";
}

}  // namespace merpati::config
