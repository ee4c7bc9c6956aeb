// Reads one JSON object as the parser meets it, alone or inside a larger document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "api/json_fields.hpp"

namespace merpati::api {

namespace json = boost::json;

/// Receives the events of a parser, and keeps the fields of the outermost object.
///
/// Operation: give it to a boost::json::basic_parser as its handler; or pass on to it the events of
/// one object inside a larger document, until `is_complete`. After `clear` it takes another object.
///
/// Limits: an object with more than `names_max` names, those of nested objects included, is refused
/// as malformed.
class JsonFieldsHandler {
public:
    JsonFieldsHandler() = default;
    explicit JsonFieldsHandler(std::size_t names_max) : names_max_(names_max) {}

    // Only the body's size limits these.
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }

    bool on_object_begin(json::error_code&) {
        note_nested();
        if (depth_ == 0) {
            result.fields_.reserve(fields_usual);
            text_.reserve(text_usual);
        } else if (depth_ <= names_.size()) {
            names_[depth_ - 1].clear();
        } else {
            names_.emplace_back();
        }
        ++depth_;
        return true;
    }
    bool on_object_end(std::size_t, json::error_code& error) {
        --depth_;
        const bool repeated =
            depth_ == 0 ? repeats(result.fields_,
                                  [](const auto& field) -> std::string_view { return field.first; })
                        : repeats(names_[depth_ - 1],
                                  [](const auto& name) -> std::string_view { return name; });
        if (repeated) {
            error = json::error::syntax;
        }
        return !repeated;
    }

    bool on_array_begin(json::error_code& error) {
        if (depth_ == 0) {
            error = json::error::not_object;
            return false;
        }
        note_nested();
        ++arrays_;
        return true;
    }
    bool on_array_end(std::size_t, json::error_code&) {
        --arrays_;
        return true;
    }

    bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_key(json::string_view part, std::size_t, json::error_code& error) {
        text_.append(part.data(), part.size());
        if (++names_count_ > names_max_) {
            error = json::error::object_too_large;
            return false;
        }
        if (outermost()) {
            result.fields_.emplace_back(text_, JsonField{});
        } else {
            names_[depth_ - 2].push_back(text_);
        }
        text_.clear();
        return true;
    }

    bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_string(json::string_view part, std::size_t, json::error_code& error) {
        text_.append(part.data(), part.size());
        const bool taken = take(JsonField::Kind::string, error);
        text_.clear();
        return taken;
    }

    bool on_number_part(json::string_view part, json::error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_int64(std::int64_t, json::string_view part, json::error_code& error) {
        return on_integer(part, error);
    }
    bool on_uint64(std::uint64_t, json::string_view part, json::error_code& error) {
        return on_integer(part, error);
    }
    bool on_double(double, json::string_view part, json::error_code& error) {
        // An integer that does not fit 64 bits comes here too, so the text decides.
        text_.append(part.data(), part.size());
        const bool integer = text_.find_first_of(".eE") == std::string::npos;
        const bool taken = take(integer ? JsonField::Kind::integer : JsonField::Kind::other, error);
        text_.clear();
        return taken;
    }

    bool on_bool(bool value, json::error_code& error) {
        if (!take(JsonField::Kind::boolean, error)) {
            return false;
        }
        if (outermost()) {
            result.fields_.back().second.boolean = value;
        }
        return true;
    }
    bool on_null(json::error_code& error) { return take(JsonField::Kind::other, error); }

    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

    /// Whether the object has ended, or has not begun.
    [[nodiscard]] bool is_complete() const noexcept { return depth_ == 0; }

    /// Whether the parser is at the value of this field of the outermost object.
    [[nodiscard]] bool is_at(std::string_view name) const noexcept {
        return outermost() && !result.fields_.empty() && result.fields_.back().first == name;
    }

    /// Forgets the object, which has ended. Memory is kept for the next one.
    void clear() noexcept {
        result.fields_.clear();
        names_count_ = 0;
    }

    JsonFields result;

private:
    static constexpr std::size_t fields_usual = 8;
    static constexpr std::size_t fields_few = 16;
    static constexpr std::size_t text_usual = 512;

    /// Whether two of `all` have the same name. Few names are compared pairwise, without an
    /// allocation. Many names are sorted, so that no body takes quadratic time.
    template <class Items, class NameOf>
    static bool repeats(const Items& all, NameOf name_of) {
        if (all.size() > fields_few) {
            std::vector<std::string_view> names;
            names.reserve(all.size());
            std::ranges::transform(all, std::back_inserter(names), name_of);
            std::ranges::sort(names);
            return std::ranges::adjacent_find(names) != names.end();
        }
        for (auto one = all.begin(); one != all.end(); ++one) {
            const std::string_view name = name_of(*one);
            if (std::any_of(all.begin(), one,
                            [&](const auto& other) { return name_of(other) == name; })) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool outermost() const noexcept { return depth_ == 1 && arrays_ == 0; }

    void note_nested() {
        if (outermost()) {
            result.fields_.back().second.kind = JsonField::Kind::other;
        }
    }

    bool on_integer(json::string_view part, json::error_code& error) {
        text_.append(part.data(), part.size());
        const bool taken = take(JsonField::Kind::integer, error);
        text_.clear();
        return taken;
    }

    bool take(JsonField::Kind kind, json::error_code& error) {
        if (depth_ == 0) {
            error = json::error::not_object;
            return false;
        }
        if (outermost()) {
            auto& field = result.fields_.back().second;
            field.kind = kind;
            field.text = text_;
        }
        return true;
    }

    std::string text_;
    std::vector<std::vector<std::string>> names_;  // So far, of each open nested object.
    std::size_t depth_ = 0;                        // Open objects.
    std::size_t arrays_ = 0;                       // Open arrays.
    std::size_t names_count_ = 0;
    const std::size_t names_max_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace merpati::api
