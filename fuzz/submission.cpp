// api/json_fields and the decoding of a send in both revisions, compared with Boost.JSON's reading
// of the same bytes.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "admission/checks.hpp"
#include "api/json_fields.hpp"
#include "api/send/decode.hpp"
#include "base/json_text.hpp"
#include "check.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;
using api::JsonFields;

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

/// Counts colons outside strings: one for each field of a valid object, duplicates included.
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

void decode(JsonFields fields, model::Revision revision) {
    const auto submission = api::decode(std::move(fields), revision);
    check(submission.revision == revision, "a submission is of its revision");
    check(is_utf8(submission.content.value_or("")), "content is UTF-8");
    const auto& recipient = submission.recipient;
    check(!admission::recipient_possible(recipient) ||
              (recipient.find_first_not_of("0123456789") == std::string::npos &&
               recipient.size() >= 8 && recipient.size() <= 15),
          "a possible recipient has 8 to 15 digits");
    check(revision == model::Revision::a ||
              (submission.callback_url == "" && submission.typing == false),
          "revision B has neither callback nor typing");
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    json::error_code error;
    json::parse_options options;
    options.max_depth = 16;
    // Assigned, not initialised: initialisation could make an array of the value.
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
    decode(*fields, merpati::model::Revision::a);
    decode(*fields, merpati::model::Revision::b);
    return 0;
}
