// api/send/bulk_body: the body of a bulk, whose messages must be decoded like single sends of the
// same objects, as Boost.JSON reads them.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "api/json_fields.hpp"
#include "api/send/bulk_body.hpp"
#include "api/send/decode.hpp"
#include "check.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;

void compare(const admission::Submission& one, const admission::Submission& other) {
    check(one.type == other.type, "the types are equal");
    check(one.content == other.content, "the texts are equal");
    check(one.media_url == other.media_url, "the addresses of media are equal");
    check(one.sender == other.sender, "the senders are equal");
    check(one.recipient == other.recipient, "the recipients are equal");
    check(one.recipient_quoted == other.recipient_quoted, "the recipients have one JSON type");
    check(one.delay.kind == other.delay.kind && one.delay.seconds == other.delay.seconds,
          "the delays are equal");
    check(one.typing == other.typing, "typing is equal");
    check(one.callback_url == other.callback_url, "the callbacks are equal");
}

void check_key(const api::BulkItem& item, const json::object& object) {
    const auto* key = object.if_contains("key");
    check(item.key.has_value() == (key != nullptr), "a message has the key that it names");
    if (key != nullptr) {
        const auto* text = key->if_string();
        check(item.key->text == (text == nullptr ? "" : std::string_view{*text}),
              "the keys are equal");
        const auto content = api::JsonFields::parse(item.key->content);
        check(content && !content->has("key"), "a content is an object without the key");
    }
}

/// Whether Boost.JSON writes every integer as it came: none is -0, or has more than 64 bits.
bool keeps_integers(std::string_view body) {
    constexpr std::size_t digits_max = 18;
    std::size_t digits = 0;
    for (const char c : body) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > digits_max) {
            return false;
        }
    }
    return !body.contains("-0");
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati;
    using namespace merpati::fuzz;
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    const auto read = api::BulkBody::parse(body);
    if (!read) {
        check(read.error().code == ErrorCode::invalid_argument && !read.error().detail.empty(),
              "a refusal says what is wrong");
        return 0;
    }
    json::error_code error;
    json::parse_options options;
    options.max_depth = api::JsonFields::levels_max + 2;
    json::value document;
    document = json::parse(json::string_view{body.data(), body.size()}, error, {}, options);
    check(!error && document.is_object(), "nothing is taken that Boost.JSON refuses");
    const auto* list = document.as_object().if_contains("messages");
    check(list != nullptr && list->is_array(), "there is a list of messages");
    const auto& messages = list->as_array();
    check(messages.size() == read->messages.size() && !messages.empty() &&
              messages.size() <= api::BulkBody::messages_max,
          "each element is a message");
    for (std::size_t place = 0; place < messages.size(); ++place) {
        check(messages[place].is_object(), "an element is an object");
        auto fields = api::JsonFields::parse(json::serialize(messages[place]));
        check(fields.has_value(), "a message is as strict as a body of its own");
        check_key(read->messages[place], messages[place].as_object());
        if (keeps_integers(body)) {
            compare(read->messages[place].submission,
                    api::decode(*std::move(fields), model::Revision::a));
        }
    }
    return 0;
}
