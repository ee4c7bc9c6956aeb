// Small readers of callers' input: parameters of the catalogue, ids, times, encodings, paths. Also
// the bodies of callbacks, which quote such input.
#include "api/manage/engine/fields.hpp"

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "api/manage/engine/cursor.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "base/encoding.hpp"
#include "base/json_text.hpp"
#include "base/uuid.hpp"
#include "callback/event_body.hpp"
#include "check.hpp"
#include "http/router.hpp"
#include "model/account.hpp"
#include "model/ids.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;
using api::manage::Fields;
namespace manage = api::manage;

bool is_json(std::string_view text) {
    json::error_code error;
    (void)json::parse(json::string_view{text.data(), text.size()}, error);
    return !error;
}

bool is_utf8(std::string_view text) {
    std::string quoted;
    append_json_string(quoted, text);
    return is_json(quoted);
}

void check_fields(Result<Fields> fields) {
    if (!fields) {
        check(is_utf8(fields.error().detail), "a mistake is told in UTF-8");
        return;
    }
    (void)fields->none("n");
    const auto text = fields->text("name", 20);
    check(!text || (is_utf8(*text) && text->size() <= 20), "a text is UTF-8 and keeps its length");
    (void)fields->required_text("r", 5);
    (void)fields->integer("limit", 1, 1000);
    (void)fields->boolean("b");
    (void)fields->time("t");
    (void)fields->word("p", model::parse_plan, "paid, trial, free");
    (void)fields->words("w", 8);
    const auto finished = fields->finish();
    check(finished || is_utf8(finished.error().detail), "a mistake is told in UTF-8");
}

void check_encodings(std::string_view text) {
    const auto bytes = as_bytes(text);
    const auto back = from_base64(to_base64(bytes));
    check(back && *back == Bytes(bytes.begin(), bytes.end()), "base64 reads as it is written");
    const auto decoded = from_base64(text);
    check(!decoded || to_base64(*decoded) == text, "base64 has one form");
    if (const auto time = parse_rfc3339(text)) {
        const auto day = std::chrono::floor<std::chrono::days>(*time);
        const int year = static_cast<int>(std::chrono::year_month_day{day}.year());
        const auto again = parse_rfc3339(to_rfc3339(*time));
        check(year < 0 || year > 9999 || (again && *again == *time), "a time reads as written");
    }
}

void check_ids(std::string_view text) {
    if (const auto uuid = Uuid::parse(text)) {
        std::string lower{text};
        for (auto& c : lower) {
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        }
        check(uuid->text() == lower && uuid->sequence() >= 0, "a UUID reads as written");
    }
    const auto account = model::AccountId::parse(text);
    check(!account || model::AccountId::parse(account->text()) == account,
          "an id reads as written");
    const auto number = model::PhoneNumber::parse(text);
    check(!number || number->text() == text, "a number reads as written");
}

void check_list_positions(std::string_view text) {
    const auto position = manage::cursor_position("messages", text);
    check(!position || manage::cursor_text("messages", *position) == text, "a cursor has one form");
    const auto cursor = manage::cursor_text("messages", text.substr(0, 64));
    const auto back = manage::cursor_position("messages", cursor);
    check(text.empty() || back == text.substr(0, 64), "a cursor reads as it is written");
    const auto scopes = model::Scopes::parse(text);
    check(!scopes || model::Scopes::parse(scopes->text()) == scopes, "scopes read as written");
    const std::string tag = "\"0123456789abcdef.0123456789abcdef\"";
    check(manage::is_unmodified(std::string{text} + ',' + tag, tag), "a listed tag is found");
}

void check_bodies(std::string_view text) {
    model::Message message;
    message.recipient = text;
    model::Completion completion;
    completion.details = text;
    check(is_json(callback::message_status_body(message, completion)), "a callback is JSON");
    check(is_json(callback::device_event_body(text, {}, {}, "{}")), "an event is JSON");
}

void check_router(std::string_view path) {
    static const http::Router router = [] {
        http::Router routes;
        for (const auto* one : {"/v1/send", "/v1/*", "/", "/v1/devices/*"}) {
            routes.add(http::Method::post, one, [](const http::Request&, http::Responder) {});
        }
        return routes;
    }();
    const auto match = router.find(http::Method::post, path);
    check(!match.handler || path == "/" || path.starts_with("/v1/") ||
              path.starts_with("/v1/devices/"),
          "a route answers its own paths");
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    check_fields(Fields::from_query(text));
    check_fields(Fields::from_body(text));
    check_encodings(text);
    check_ids(text);
    check_list_positions(text);
    if (is_utf8(text)) {
        check_bodies(text);
    }
    (void)merpati::callback::origin_key_of(text);
    check_router(text);
    return 0;
}
