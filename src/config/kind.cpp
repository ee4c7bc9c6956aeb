#include "config/kind.hpp"

#include <algorithm>
#include <array>

#include "base/number.hpp"

namespace merpati::config {
namespace {

/// The longest path the kernel takes.
constexpr std::size_t path_length_max = 4095;

bool is_printable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split_at_commas(std::string_view text) {
    std::vector<std::string> parts;
    while (!trim(text).empty()) {
        const auto comma = text.find(',');
        parts.emplace_back(trim(text.substr(0, comma)));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return parts;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
    return text.size() > 19 ? std::nullopt : parse_whole<std::uint64_t>(text);
}

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
    struct Unit {
        std::string_view name;
        unsigned shift;
    };
    constexpr std::array<Unit, 3> byte_units{{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
    for (const auto& unit : byte_units) {
        if (text.ends_with(unit.name)) {
            const auto count = parse_count(text.substr(0, text.size() - unit.name.size()));
            if (!count || *count > std::numeric_limits<std::uint64_t>::max() >> unit.shift) {
                return std::nullopt;
            }
            return *count << unit.shift;
        }
    }
    return parse_count(text);
}

Kind<bool> boolean() {
    Kind<bool> kind;
    kind.type = "true or false";
    kind.form = Form::bare;
    kind.read = [](std::string_view given) -> std::optional<bool> {
        if (given != "true" && given != "false") {
            return std::nullopt;
        }
        return given == "true";
    };
    kind.print = [](const bool& value) { return std::string{value ? "true" : "false"}; };
    return kind;
}

Kind<std::uint32_t> number(std::uint32_t lowest, std::uint32_t highest) {
    Kind<std::uint32_t> kind;
    kind.type = "a whole number";
    kind.bounds = fmt::format("{} to {}", lowest, highest);
    kind.form = Form::bare;
    kind.read = [=](std::string_view given) -> std::optional<std::uint32_t> {
        const auto value = parse_count(given);
        if (!value || *value < lowest || *value > highest) {
            return std::nullopt;
        }
        return static_cast<std::uint32_t>(*value);
    };
    kind.print = [](const std::uint32_t& value) { return std::to_string(value); };
    return kind;
}

Kind<std::uint64_t> size_in_bytes(std::uint64_t lowest, std::uint64_t highest) {
    Kind<std::uint64_t> kind;
    kind.type = "a size in bytes such as 65536, \"64KiB\" or \"64MiB\"";
    kind.bounds = fmt::format("{} to {}", lowest, highest);
    kind.form = Form::bare;
    kind.read = [=](std::string_view given) -> std::optional<std::uint64_t> {
        const auto value = parse_size(given);
        return value && *value >= lowest && *value <= highest ? value : std::nullopt;
    };
    kind.print = [](const std::uint64_t& value) { return std::to_string(value); };
    return kind;
}

Kind<std::filesystem::path> path() {
    Kind<std::filesystem::path> kind;
    kind.type = "the path of a file";
    kind.text_only = true;
    kind.read = [](std::string_view given) -> std::optional<std::filesystem::path> {
        if (given.empty() || given.size() > path_length_max || !is_printable(given)) {
            return std::nullopt;
        }
        return std::filesystem::path{given};
    };
    kind.print = [](const std::filesystem::path& value) { return value.string(); };
    return kind;
}

Kind<model::Rate> rate() {
    static constexpr std::uint32_t count_max = 1'000'000;
    Kind<model::Rate> kind;
    kind.type = "a rate such as \"50/s\" or \"600/min\"";
    kind.bounds = fmt::format("1 to {}", count_max);
    kind.text_only = true;
    kind.read = [](std::string_view given) -> std::optional<model::Rate> {
        const auto choice = model::RateChoice::parse(given);
        const bool own = choice && choice->kind == model::RateChoice::Kind::own;
        return own && choice->rate.count <= count_max ? std::optional{choice->rate} : std::nullopt;
    };
    kind.print = [](const model::Rate& value) { return value.text(); };
    return kind;
}

Kind<std::string> text(std::size_t length_min, std::size_t length_max) {
    Kind<std::string> kind;
    kind.type = "text";
    kind.bounds = fmt::format("{} to {} bytes", length_min, length_max);
    kind.text_only = true;
    kind.read = [=](std::string_view given) -> std::optional<std::string> {
        if (given.size() < length_min || given.size() > length_max || !is_printable(given)) {
            return std::nullopt;
        }
        return std::string{given};
    };
    kind.print = [](const std::string& value) { return value; };
    return kind;
}

Kind<std::string> text_where(std::string type, bool (*is_one)(std::string_view)) {
    auto kind = text(1, path_length_max);
    kind.type = std::move(type);
    kind.bounds.clear();
    kind.read = [read = kind.read, is_one](std::string_view given) {
        return is_one(given) ? read(given) : std::nullopt;
    };
    return kind;
}

Kind<std::vector<std::string>> list_where(std::string type, std::size_t size_min,
                                          std::size_t size_max, bool (*is_one)(std::string_view)) {
    Kind<std::vector<std::string>> kind;
    kind.type = std::move(type);
    kind.bounds = fmt::format("{} to {} of them", size_min, size_max);
    kind.form = Form::list;
    kind.text_only = true;
    kind.read = [=](std::string_view given) -> std::optional<std::vector<std::string>> {
        auto items = split_at_commas(given);
        if (items.size() < size_min || items.size() > size_max ||
            !std::ranges::all_of(items, is_one)) {
            return std::nullopt;
        }
        return items;
    };
    kind.print = [](const std::vector<std::string>& items) {
        return fmt::format("{}", fmt::join(items, ","));
    };
    return kind;
}

}  // namespace merpati::config
