// The parameters of one call, read strictly: each is taken by name, what is left over is an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace merpati::api::manage {

/// RFC 3986 section 2.1. Empty where an escape is broken, or stands for anything but printable
/// ASCII: paths and queries carry ids and words, and errors quote them.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

/// What is wrong with one field.
struct Mistake {
    std::string field;
    std::string what;  // "must be given, and not be empty"
};

/// Operation: take every field the call knows, then ask `finish`, which answers with the first
/// mistake or with an unknown field. A taker answers empty for a field that is missing or wrong,
/// so values may be used only after `finish` succeeded.
///
/// Errors of `finish` and the makers: invalid_argument, with a sentence for the caller.
class Fields {
public:
    /// A JSON object that has each field once; no bytes at all stand for an empty one.
    [[nodiscard]] static Result<Fields> from_body(std::string_view body);

    /// "account=acc_1&limit=50", percent-encoded.
    [[nodiscard]] static Result<Fields> from_query(std::string_view query);

    [[nodiscard]] bool given(std::string_view name) const;

    /// A text as it was given, which is not taken by this.
    [[nodiscard]] std::optional<std::string> peek(std::string_view name) const;

    /// Whether the field is given as null, which is then taken.
    [[nodiscard]] bool none(std::string_view name);

    /// At most `bytes_max` bytes, without control characters.
    [[nodiscard]] std::optional<std::string> text(std::string_view name, std::size_t bytes_max);
    /// The same, but missing or empty is a mistake.
    [[nodiscard]] std::string required_text(std::string_view name, std::size_t bytes_max);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t lowest,
                                                      std::int64_t highest);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);
    /// A list of strings of at most 64 bytes each; of a query, one text with commas.
    [[nodiscard]] std::optional<std::vector<std::string>> words(std::string_view name,
                                                                std::size_t most);
    struct TextLimits {
        std::size_t name_bytes_max = 0;
        std::size_t text_bytes_max = 0;
    };
    /// An object of texts, by name; empty where it is missing or wrong.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> texts(std::string_view name,
                                                                         std::size_t count_max,
                                                                         TextLimits limits);
    /// RFC 3339.
    [[nodiscard]] std::optional<Timestamp> time(std::string_view name);

    /// A word that `parse` knows; `choices` names them all, for the error.
    template <class Parse>
    [[nodiscard]] auto word(std::string_view name, Parse parse, std::string_view choices)
        -> decltype(parse(std::string_view{})) {
        const auto given = text(name, 64);
        if (!given) {
            return std::nullopt;
        }
        auto parsed = parse(*given);
        if (!parsed) {
            mistake(name, "must be " + std::string{choices});
        }
        return parsed;
    }

    /// Records a mistake that the handler found itself.
    void mistake(std::string_view name, const std::string& what);
    [[nodiscard]] const std::vector<Mistake>& mistakes() const noexcept { return mistakes_; }

    [[nodiscard]] Result<void> finish() const;

private:
    [[nodiscard]] std::optional<boost::json::value> take(std::string_view name);

    boost::json::object fields_;
    bool from_query_ = false;
    std::vector<Mistake> mistakes_;
};

}  // namespace merpati::api::manage
