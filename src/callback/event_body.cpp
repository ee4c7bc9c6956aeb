#include "callback/event_body.hpp"

#include <cstring>

#include "base/digest.hpp"
#include "base/json_text.hpp"

namespace merpati::callback {
namespace {

/// More digits would not fit into the 64-bit integers of receivers.
constexpr std::size_t digits_max = 18;

/// The recipient's digits as a JSON number, which `to` always is (docs/api.md, Callbacks): "+62 81"
/// gives 6281; without digits it is 0.
std::string number_of(std::string_view recipient) {
    std::string digits;
    for (const char c : recipient) {
        const bool leading_zero = c == '0' && digits.empty();
        if (c >= '0' && c <= '9' && !leading_zero && digits.size() < digits_max) {
            digits += c;
        }
    }
    return digits.empty() ? "0" : digits;
}

}  // namespace

std::string message_status_body(const model::Message& message,
                                const model::Completion& completion) {
    std::string body;
    body.reserve(288);
    body += R"({"device":)";
    body += message.device.text();
    body += R"(,"requestId":")";
    message.id.append_to(body);
    body += R"(","campaignId":")";
    if (message.campaign) {
        body += message.campaign->text();
    }
    body += R"(","type":")";
    body += model::to_string(message.type);
    body += R"(","messageid":)";
    append_json_string(body,
                       completion.platform_id.empty() ? message.id.text() : completion.platform_id);
    body += completion.state == model::MessageState::sent ? R"(,"status":"sent","to":)"
                                                          : R"(,"status":"failed","to":)";
    body += number_of(message.recipient);
    body += R"(,"code":)";
    body += std::to_string(static_cast<int>(completion.code));
    body += R"(,"details":)";
    append_json_string(body, completion.details);
    body += '}';
    return body;
}

std::string device_event_body(std::string_view event, model::PhoneNumber device, Timestamp time,
                              std::string_view data) {
    std::string body = R"({"event":)";
    append_json_string(body, event);
    body += R"(,"device":)";
    body += device.text();
    body += R"(,"timestamp":")";
    body += to_rfc3339(time);
    body += R"(","data":)";
    body += data;
    body += '}';
    return body;
}

std::string campaign_event_body(std::string_view event, Timestamp time, std::string_view data) {
    std::string body = R"({"event":)";
    append_json_string(body, event);
    body += R"(,"timestamp":")";
    body += to_rfc3339(time);
    body += R"(","data":)";
    body += data;
    body += '}';
    return body;
}

std::int64_t origin_key_of(std::string_view url) {
    // Up to the path. A host in other letter case only gets a second queue.
    const auto host = url.find("://");
    const auto end =
        host == std::string_view::npos ? url.size() : url.find_first_of("/?#", host + 3);
    const auto origin = url.substr(0, end);
    thread_local std::string last;  // Mostly the same as for the message before.
    thread_local std::int64_t last_key = 0;
    if (last.empty() || origin != last) {
        const auto digest = sha256(origin);
        std::memcpy(&last_key, digest.data(), sizeof last_key);
        last = origin;
    }
    return last_key;
}

}  // namespace merpati::callback
