#include "api/send/bulk_body.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/json_fields_handler.hpp"
#include "api/send/decode.hpp"
#include "base/utf8.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view messages_field = "messages";
constexpr std::string_view key_field = "key";
/// Room is made beforehand for so many messages as a body would have of this size. A list that
/// grows moves all of them.
constexpr std::size_t message_bytes_usual = 256;

/// The fields as one object without blanks, in their order. What a send ignores is null.
std::string content_of(const JsonFields& fields) {
    std::string content{"{"};
    for (const auto& [name, field] : fields.all()) {
        if (name == key_field) {
            continue;
        }
        content += content.size() > 1 ? "," : "";
        content += json::serialize(name);
        content += ':';
        switch (field.kind) {
            case JsonField::Kind::string:
                content += json::serialize(field.text);
                break;
            case JsonField::Kind::integer:
                content += field.text;
                break;
            case JsonField::Kind::boolean:
                content += field.boolean ? "true" : "false";
                break;
            case JsonField::Kind::other:
                content += "null";
                break;
        }
    }
    content += '}';
    return content;
}

BulkItem item_of(JsonFields& fields) {
    BulkItem item;
    for (const auto& [name, field] : fields.all()) {
        item.bytes += name.size() + field.text.size();
    }
    if (const auto* key = fields.find(key_field)) {
        item.key.emplace(key->is_string() ? key->text : std::string{}, content_of(fields));
    }
    item.submission = decode(std::move(fields), model::Revision::a);
    return item;
}

/// Receives the events of a parser. The objects in the list `messages` are decoded one by one; all
/// other events make the fields of the body.
class BulkBodyHandler {
public:
    static constexpr std::size_t max_object_size = JsonFieldsHandler::max_object_size;
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }

    bool on_object_begin(json::error_code& error) {
        if (is_between() && messages.size() == BulkBody::messages_max) {
            return refuse(error, fmt::format("'messages' must have at most {} messages",
                                             BulkBody::messages_max));
        }
        in_message_ = in_message_ || in_list_;
        return current().on_object_begin(error);
    }
    bool on_object_end(std::size_t size, json::error_code& error) {
        if (!current().on_object_end(size, error)) {
            return false;
        }
        if (in_message_ && message_.is_complete()) {
            messages.push_back(item_of(message_.result));
            message_.clear();
            in_message_ = false;
        }
        return true;
    }

    bool on_array_begin(json::error_code& error) {
        if (is_between()) {
            return refuse_element(error);
        }
        if (!in_message_ && fields.is_at(messages_field)) {
            in_list_ = true;
            has_list_ = true;
        }
        return current().on_array_begin(error);
    }
    bool on_array_end(std::size_t size, json::error_code& error) {
        if (is_between()) {
            in_list_ = false;
        }
        return current().on_array_end(size, error);
    }

    bool on_key_part(json::string_view part, std::size_t size, json::error_code& error) {
        return current().on_key_part(part, size, error);
    }
    bool on_key(json::string_view part, std::size_t size, json::error_code& error) {
        return current().on_key(part, size, error);
    }
    bool on_string_part(json::string_view part, std::size_t size, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_string_part(part, size, error);
    }
    bool on_string(json::string_view part, std::size_t size, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_string(part, size, error);
    }
    bool on_number_part(json::string_view part, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_number_part(part, error);
    }
    bool on_int64(std::int64_t value, json::string_view part, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_int64(value, part, error);
    }
    bool on_uint64(std::uint64_t value, json::string_view part, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_uint64(value, part, error);
    }
    bool on_double(double value, json::string_view part, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_double(value, part, error);
    }
    bool on_bool(bool value, json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_bool(value, error);
    }
    bool on_null(json::error_code& error) {
        return is_between() ? refuse_element(error) : current().on_null(error);
    }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

    [[nodiscard]] bool has_list() const noexcept { return has_list_; }

    JsonFieldsHandler fields{BulkBody::names_max};  // Of the body.
    std::vector<BulkItem> messages;
    std::string why;  // What is wrong, where it is not the JSON itself.

private:
    /// In the list, but in none of its messages.
    [[nodiscard]] bool is_between() const noexcept { return in_list_ && !in_message_; }
    JsonFieldsHandler& current() noexcept { return in_message_ ? message_ : fields; }

    bool refuse(json::error_code& error, std::string_view what) {
        why = what;
        error = json::error::syntax;
        return false;
    }
    bool refuse_element(json::error_code& error) {
        return refuse(error, "'messages' must hold objects, one for each message");
    }

    JsonFieldsHandler message_{BulkBody::names_max};
    bool in_list_ = false;
    bool in_message_ = false;
    bool has_list_ = false;
};

std::unexpected<Error> malformed(std::string what) {
    return fail(ErrorCode::invalid_argument, std::move(what));
}

/// Takes `account` and `dry_run`. Errors: invalid_argument.
Result<void> take_others(const JsonFields& fields, BulkBody& body) {
    constexpr std::array known{messages_field, std::string_view{"account"},
                               std::string_view{"dry_run"}};
    for (const auto& [name, field] : fields.all()) {
        if (std::ranges::find(known, name) == known.end()) {
            constexpr std::size_t shown_max = 64;
            return malformed(
                fmt::format("there is no field '{}' here", utf8_prefix(name, shown_max)));
        }
    }
    if (const auto* account = fields.find("account")) {
        if (!account->is_string()) {
            return malformed("'account' must be a string");
        }
        body.account = account->text;
    }
    if (const auto* dry_run = fields.find("dry_run")) {
        if (dry_run->kind != JsonField::Kind::boolean) {
            return malformed("'dry_run' must be true or false");
        }
        body.dry_run = dry_run->boolean;
    }
    return {};
}

}  // namespace

Result<BulkBody> BulkBody::parse(std::string_view body) {
    json::parse_options options;
    options.max_depth = JsonFields::levels_max + 2;  // Each message has those of a body of its own.
    json::basic_parser<BulkBodyHandler> parser{options};
    parser.handler().messages.reserve(
        std::min(BulkBody::messages_max, body.size() / message_bytes_usual));
    json::error_code error;
    const std::size_t used = parser.write_some(false, body.data(), body.size(), error);
    const auto rest = body.substr(std::min(used, body.size()));
    auto& handler = parser.handler();
    if (error || !parser.done() || rest.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        return malformed(handler.why.empty()
                             ? "the body must be one JSON object in UTF-8, with each field once"
                             : handler.why);
    }
    if (!handler.has_list() || handler.messages.empty()) {
        return malformed("'messages' must be a list of at least one message");
    }
    BulkBody read;
    if (auto taken = take_others(handler.fields.result, read); !taken) {
        return pass(taken);
    }
    read.messages = std::move(handler.messages);
    return read;
}

}  // namespace merpati::api
