// The kinds of values of settings: how each is read, printed and described.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/duration.hpp"
#include "config/settings.hpp"

namespace merpati::config {

/// How a value is written in a TOML file.
enum class Form : std::uint8_t { bare, quoted, list };

/// One kind of value. `read(print(value))` returns the same value.
template <class T>
struct Kind {
    std::string type;    // "a whole number", after "must be".
    std::string bounds;  // "0 to 256"; empty: none.
    Form form = Form::quoted;
    bool text_only = false;  // In a file the value must be quoted, or a list of quoted values.
    std::function<std::optional<T>(std::string_view)> read;  // Empty: wrong form or out of bounds.
    std::function<std::string(const T&)> print;
};

/// Reads a whole number of at most 19 decimal digits. Empty: another form.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

/// Reads "64KiB", "64MiB", "1GiB" or plain bytes. Empty: another form, or more than 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;

[[nodiscard]] Kind<bool> boolean();
[[nodiscard]] Kind<std::uint32_t> number(std::uint32_t lowest, std::uint32_t highest);
[[nodiscard]] Kind<std::uint64_t> size_in_bytes(std::uint64_t lowest, std::uint64_t highest);
[[nodiscard]] Kind<std::filesystem::path> path();
[[nodiscard]] Kind<model::Rate> rate();

/// A text of `length_min` to `length_max` bytes without control characters.
[[nodiscard]] Kind<std::string> text(std::size_t length_min, std::size_t length_max);

/// A text that `is_one` accepts; `type` describes it, with an article.
[[nodiscard]] Kind<std::string> text_where(std::string type, bool (*is_one)(std::string_view));

/// A list of such texts, separated by commas outside of a file.
[[nodiscard]] Kind<std::vector<std::string>> list_where(std::string type, std::size_t size_min,
                                                        std::size_t size_max,
                                                        bool (*is_one)(std::string_view));

/// A duration; `bare` is the unit of a number without one.
template <class Duration>
[[nodiscard]] Kind<Duration> duration(Duration lowest, Duration highest,
                                      std::chrono::milliseconds bare = std::chrono::seconds{1}) {
    Kind<Duration> kind;
    const bool in_millis = bare == std::chrono::milliseconds{1};
    kind.type = in_millis ? "a duration such as 5 (milliseconds) or \"2s\""
                          : "a duration such as \"15s\", \"10m\", \"24h\" or 15 (seconds)";
    kind.bounds = fmt::format("{} to {}", print_duration(lowest), print_duration(highest));
    kind.form = in_millis ? Form::bare : Form::quoted;
    kind.read = [=](std::string_view value) -> std::optional<Duration> {
        const auto read = parse_duration(value, bare);
        if (!read || *read < lowest || *read > highest || *read % Duration{1} != read->zero()) {
            return std::nullopt;
        }
        return std::chrono::duration_cast<Duration>(*read);
    };
    kind.print = [=](const Duration& value) {
        return in_millis ? fmt::format("{}", std::chrono::milliseconds{value}.count())
                         : print_duration(value);
    };
    return kind;
}

/// One of several words.
template <class Enum>
[[nodiscard]] Kind<Enum> choice(std::vector<std::pair<std::string_view, Enum>> words) {
    Kind<Enum> kind;
    kind.type = "one of";
    for (const auto& [word, value] : words) {
        kind.type += fmt::format("{} \"{}\"", &word == &words.front().first ? "" : ",", word);
    }
    kind.text_only = true;
    kind.read = [words](std::string_view given) -> std::optional<Enum> {
        for (const auto& [word, value] : words) {
            if (word == given) {
                return value;
            }
        }
        return std::nullopt;
    };
    kind.print = [words](const Enum& given) {
        for (const auto& [word, value] : words) {
            if (value == given) {
                return std::string{word};
            }
        }
        return std::string{};
    };
    return kind;
}

/// A value that may be unset, written as the word `none` or as an empty value.
template <class T>
[[nodiscard]] Kind<std::optional<T>> optional(Kind<T> inner, std::string none = {}) {
    Kind<std::optional<T>> kind;
    kind.type = none.empty() ? inner.type : fmt::format("{}, or \"{}\"", inner.type, none);
    kind.bounds = inner.bounds;
    kind.form = inner.form;
    kind.text_only = inner.text_only;
    kind.read = [inner, none](std::string_view given) -> std::optional<std::optional<T>> {
        if (given.empty() || given == none) {
            return std::optional<T>{};
        }
        auto value = inner.read(given);
        if (!value) {
            return std::nullopt;
        }
        return value;
    };
    kind.print = [inner, none](const std::optional<T>& value) {
        return value ? inner.print(*value) : none;
    };
    return kind;
}

}  // namespace merpati::config
