// api/json_fields and the decoding of a send in both revisions, held against Boost.JSON's own
// reading of the same bytes.
#include "api/send/submission.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include <boost/json.hpp>

#include "admission/checks.hpp"
#include "api/json_fields.hpp"
#include "base/json_text.hpp"
#include "check.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;
using api::JsonFields;

struct SameBytes final : Random {
    void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte{0x5A}); }
};

std::size_t fields_of(const json::value& value) {
    std::size_t count = 0;
    if (const auto* object = value.if_object()) {
        count = object->size();
        for (const auto& [key, element] : *object) {
            count += fields_of(element);
        }
    }
    if (const auto* array = value.if_array()) {
        for (const auto& element : *array) {
            count += fields_of(element);
        }
    }
    return count;
}

/// Colons outside strings: one for each field of a valid object, those named twice included.
std::size_t colons_of(std::string_view body) {
    std::size_t colons = 0;
    bool quoted = false;
    bool escaped = false;
    for (const char c : body) {
        if (escaped) {
            escaped = false;
        } else if (c == '\\') {
            escaped = quoted;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ':' && !quoted) {
            ++colons;
        }
    }
    return colons;
}

bool is_utf8(std::string_view text) {
    std::string quoted;
    append_json_string(quoted, text);
    json::error_code error;
    (void)json::parse(json::string_view{quoted.data(), quoted.size()}, error);
    return !error;
}

void compare(const json::value& value, const api::JsonField* field) {
    using Kind = api::JsonField::Kind;
    check(field != nullptr, "every field is found");
    if (value.is_string()) {
        check(field->kind == Kind::string && field->text == std::string_view{value.as_string()},
              "strings are equal");
    } else if (value.is_bool()) {
        check(field->kind == Kind::boolean && field->boolean == value.as_bool(),
              "booleans are equal");
    } else if (value.is_int64()) {
        check(field->kind == Kind::integer &&
                  (field->text == std::to_string(value.as_int64()) || field->text == "-0"),
              "integers are equal");
    } else if (value.is_uint64()) {
        check(field->kind == Kind::integer && field->text == std::to_string(value.as_uint64()),
              "large integers are equal");
    } else if (value.is_double()) {
        check(field->kind == Kind::other ||
                  field->text.find_first_not_of("-0123456789") == std::string::npos,
              "what is no integer is none of the kinds");
    } else {
        check(field->kind == Kind::other, "null, arrays and objects are none of the kinds");
    }
}

void decode(const JsonFields& fields, const api::RevisionRules& rules) {
    (void)api::decode_type(fields);
    (void)api::decode_media_url(fields);
    (void)api::decode_sender(fields);
    (void)api::decode_typing(fields, rules);
    (void)api::decode_callback(fields, rules);
    for (const auto type : {model::MessageType::text, model::MessageType::media}) {
        const auto content = api::decode_content(fields, rules, type);
        if (const auto* text = std::get_if<std::string>(&content)) {
            check(is_utf8(*text), "content is UTF-8");
            check(api::count_characters(*text) <= text->size(), "a character is a byte at least");
            check(type == model::MessageType::media || !text->empty(), "a text is not empty");
        }
    }
    const auto decoded = api::decode_recipient(fields);
    if (const auto* recipient = std::get_if<api::Recipient>(&decoded)) {
        const auto& text = recipient->text;
        check(!text.empty(), "a recipient is not empty");
        check(!admission::recipient_possible(text) ||
                  (text.find_first_not_of("0123456789") == std::string::npos && text.size() >= 8 &&
                   text.size() <= 15),
              "a possible recipient has 8 to 15 digits");
    }
    SameBytes random;
    for (const std::uint32_t most : {0U, 1U, 30U, 4'000'000'000U}) {
        const auto delay = api::decode_delay(fields, rules, most, random);
        const auto* seconds = std::get_if<std::optional<std::chrono::seconds>>(&delay);
        check(seconds == nullptr || !*seconds ||
                  ((*seconds)->count() >= 1 &&
                   (*seconds)->count() <= std::max<std::int64_t>(1, rules.delay_max)),
              "a delay is within the revision's bounds");
    }
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    json::error_code error;
    json::parse_options options;
    options.max_depth = 16;
    // Assigned, not initialised: braces or a copy would make an array of it.
    json::value document;
    document = json::parse(json::string_view{body.data(), body.size()}, error, {}, options);
    const bool is_object = !error && document.is_object();

    const auto fields = JsonFields::parse(body);
    if (!fields) {
        check(!is_object || colons_of(body) > fields_of(document),
              "an object is refused for a field that comes twice alone");
        return 0;
    }
    check(is_object, "nothing is taken that Boost.JSON refuses");
    for (const auto& [key, value] : document.as_object()) {
        compare(value, fields->find(key));
    }
    decode(*fields, merpati::api::revision_a);
    decode(*fields, merpati::api::revision_b);
    return 0;
}
