// The body of a request: one JSON object, read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace merpati::api {

/// The value of one field: a string, an integer, a boolean, or `other` (null, a number that is not
/// written as an integer, an array, an object), whose content is dropped.
struct JsonField {
    enum class Kind : std::uint8_t { string, integer, boolean, other };
    Kind kind = Kind::other;
    /// The string; or the integer's digits as they came, because a double would lose some of them.
    std::string text;
    bool boolean = false;

    [[nodiscard]] bool is_string() const noexcept { return kind == Kind::string; }
    [[nodiscard]] bool is_integer() const noexcept { return kind == Kind::integer; }
};

/// The fields of one JSON object, in order. Names are case-sensitive.
class JsonFields {
public:
    /// Reads the whole of `body`. Empty for all that decisions.md calls `Invalid json format`: not
    /// an object, trailing bytes, invalid UTF-8, a duplicate field (at any depth), more than 16
    /// levels.
    ///
    /// Limits: only the body's size. n fields cost O(n log n).
    [[nodiscard]] static std::optional<JsonFields> parse(std::string_view body);
    static constexpr std::size_t levels_max = 16;

    /// Null when the field is missing.
    [[nodiscard]] const JsonField* find(std::string_view name) const noexcept;
    [[nodiscard]] JsonField* find(std::string_view name) noexcept;

    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }

    /// Name and value of each.
    [[nodiscard]] const std::vector<std::pair<std::string, JsonField>>& all() const noexcept {
        return fields_;
    }

private:
    friend class JsonFieldsHandler;
    std::vector<std::pair<std::string, JsonField>> fields_;
};

}  // namespace merpati::api
