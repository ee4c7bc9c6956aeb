// connector/cloud: what the official platform posts, and what it says of failures. The input is the
// body of a post, and of an answer.
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "check.hpp"
#include "connector/cloud/codec/codes.hpp"
#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/message_body.hpp"
#include "connector/cloud/codec/templates.hpp"
#include "connector/cloud/codec/webhook_events.hpp"

namespace merpati::fuzz {
namespace {

namespace cloud = connector::cloud;

constexpr std::string_view token = "EAAfuzzedtoken1234567890";

void check_error(const cloud::GraphError& error) {
    const auto words = cloud::words_of(error, token);
    check(!words.empty() && words.size() <= cloud::words_bytes_max, "the words are not too long");
    check(is_utf8(words), "the words are UTF-8");
    check(!words.contains(token), "no token is repeated");
    const auto verdict = cloud::judge(error, "106540352242922");
    const auto outcome = cloud::outcome_of(error, verdict, token, {}, Millis{1'000});
    check(outcome.kind != model::Outcome::Kind::sent &&
              outcome.kind != model::Outcome::Kind::accepted,
          "no failure is a success");
}

void check_event(const cloud::StatusEvent& event) {
    check(!event.phone_number_id.empty(), "a status names its number");
    check(connector::is_platform_id(event.platform_id), "a status names its message");
    (void)cloud::parse_opaque(event.opaque);
    check_error(event.error);
}

void check_event(const cloud::InboundEvent& event) {
    const auto& message = event.message;
    check(!event.phone_number_id.empty() && !message.sender.empty(), "a message names its number");
    check(connector::is_platform_id(message.platform_id), "a message has an id");
    check(!message.type.empty(), "a message has a type");
    check(message.text.size() <= connector::InboundMessage::text_bytes_max,
          "the text is not too long");
    check(is_utf8(message.text) && is_utf8(message.sender), "texts are UTF-8");
    check(!message.media || cloud::is_media_id(message.media->reference),
          "media have an id that is safe in a path");
}

void check_templates(std::string_view body) {
    const auto answer = cloud::parse_object(body);
    if (!answer) {
        return;
    }
    const auto page = cloud::read_templates(*answer);
    check(page.items.size() <= cloud::templates_max, "a page is not too long");
    for (const auto& item : page.items) {
        const auto filling = cloud::filling_of(body, item);
        check(!filling.empty() && filling.find_first_of("\r\n\t") == std::string::npos &&
                  !filling.contains("  "),
              "a variable has no line break and no run of blanks");
    }
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    const merpati::Timestamp now{std::chrono::seconds{1'800'000'000}};
    for (const auto& event : cloud::read_webhook(body, now)) {
        std::visit([](const auto& one) { check_event(one); }, event);
    }
    merpati::outbound::Response answer;
    answer.status = 400;
    answer.headers.emplace_back("retry-after", std::string{body.substr(0, 8)});
    answer.body = body;
    check_error(cloud::error_of(answer));
    check_templates(body);
    return 0;
}
