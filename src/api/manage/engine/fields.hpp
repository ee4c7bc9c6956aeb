// The parameters of one call, read strictly: a parameter that the handler does not take is an
// error.
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
#include "http/request.hpp"

namespace merpati::api::manage {

/// RFC 3986 section 2.1. Empty: an escape is broken, or the result is not UTF-8 or has a control
/// character, because errors quote it.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

/// A JSON object that has each field once. Errors: invalid_argument, with a sentence for the
/// caller.
[[nodiscard]] Result<boost::json::object> parse_object(std::string_view body);

/// An error in one field.
struct Mistake {
    std::string field;
    std::string what;  // "must be given, and not be empty"
};

/// Operation: take every field of the operation, then call `finish`, which fails with the first
/// mistake or an unknown field. The functions that take a field answer empty if it is missing or
/// wrong, so use values only after `finish` has succeeded.
///
/// Errors of `finish`, `of`, `from_body` and `from_query`: invalid_argument, with a sentence for
/// the caller.
class Fields {
public:
    /// Those of a call: GET and DELETE have them in the query, the others in the body. Fails if the
    /// other place is not empty, because a parameter there would be ignored.
    [[nodiscard]] static Result<Fields> of(http::Method method, std::string_view query,
                                           std::string_view body);

    /// A JSON object that has each field once. An empty body counts as an empty object.
    [[nodiscard]] static Result<Fields> from_body(std::string_view body);

    /// "account=acc_1&limit=50", percent-encoded. A parameter may be given once; only `tag` may be
    /// repeated, which is the same as commas between its words.
    [[nodiscard]] static Result<Fields> from_query(std::string_view query);

    [[nodiscard]] bool given(std::string_view name) const;

    /// The value of a field, without taking it. Null: it is missing.
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;

    /// The value of a text field, without taking the field.
    [[nodiscard]] std::optional<std::string> peek(std::string_view name) const;

    /// Whether the field is null. Takes the field if it is.
    [[nodiscard]] bool none(std::string_view name);

    /// At most `bytes_max` bytes, without control characters.
    [[nodiscard]] std::optional<std::string> text(std::string_view name, std::size_t bytes_max);
    /// The account that the call is for: `account`.
    [[nodiscard]] std::optional<std::string> account() { return text("account", 32); }
    /// The same as `text`, but a missing or empty text is a mistake. Answers "" for a wrong field.
    [[nodiscard]] std::string required_text(std::string_view name, std::size_t bytes_max);
    /// The same as `text`, but it may have lines and tabs.
    [[nodiscard]] std::optional<std::string> prose(std::string_view name, std::size_t bytes_max);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t lowest,
                                                      std::int64_t highest);
    /// The same, but a missing number is a mistake. Answers `lowest` for a wrong field.
    [[nodiscard]] std::int64_t required_integer(std::string_view name, std::int64_t lowest,
                                                std::int64_t highest);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);
    /// A list of 1 to `most` strings of at most 64 bytes each; in a query, one text with commas.
    [[nodiscard]] std::optional<std::vector<std::string>> words(std::string_view name,
                                                                std::size_t most);
    /// A list of at most `count_max` texts, which may be empty, of at most `bytes_max` bytes each.
    [[nodiscard]] std::optional<std::vector<std::string>> text_list(std::string_view name,
                                                                    std::size_t count_max,
                                                                    std::size_t bytes_max);
    /// The fields of an object. Give them to `add_mistakes` when all are taken.
    [[nodiscard]] std::optional<Fields> object(std::string_view name);
    /// The same for a list of 1 to `count_max` objects.
    [[nodiscard]] std::optional<std::vector<Fields>> objects(std::string_view name,
                                                             std::size_t count_max);
    /// Adds the mistakes of an object in the field `name`, and its first field that nobody took.
    void add_mistakes(std::string_view name, const Fields& inside);
    struct TextLimits {
        std::size_t name_bytes_max = 0;
        std::size_t text_bytes_max = 0;
    };
    /// An object whose fields are texts; empty if it is missing or wrong.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> texts(std::string_view name,
                                                                         std::size_t count_max,
                                                                         TextLimits limits);
    /// RFC 3339.
    [[nodiscard]] std::optional<Timestamp> time(std::string_view name);

    /// A word that `parse` accepts. `choices` lists the words for the error.
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

    /// The value as it came; in a query, a string. For fields with a form of their own.
    [[nodiscard]] std::optional<boost::json::value> value(std::string_view name);

    /// Records a mistake that the handler has found. Only the first one of a field counts.
    void mistake(std::string_view name, const std::string& what);
    [[nodiscard]] const std::vector<Mistake>& mistakes() const noexcept { return mistakes_; }

    [[nodiscard]] Result<void> finish() const;

private:
    /// False: it was given before.
    [[nodiscard]] bool add_parameter(std::string_view name, std::string_view text);

    boost::json::object fields_;
    bool from_query_ = false;
    std::vector<Mistake> mistakes_;
};

}  // namespace merpati::api::manage
