// outbound/response_reader: reads the same answer within its caps, however the bytes are cut. The
// first byte of the input chooses the request's caps and handlers, the second the pieces. Also
// callback/batch_answer, which gets the same bytes as the body of an answer.
#include "outbound/response_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "callback/batch_answer.hpp"
#include "callback/retry_table.hpp"
#include "check.hpp"
#include "pieces.hpp"

namespace merpati::fuzz {
namespace {

using outbound::ResponseReader;

constexpr std::size_t id_text_bytes = 36;

struct Choice {
    bool truncate, small_body, small_head, streamed, refuses_301, is_head;
};

Choice choice_of(std::uint8_t byte) {
    return {(byte & 1U) != 0, (byte & 2U) != 0,  (byte & 4U) != 0,
            (byte & 8U) != 0, (byte & 16U) != 0, (byte & 32U) != 0};
}

struct Answer {
    std::string text;
    outbound::Response response;
};

Answer read_all(std::string_view bytes, Pieces pieces, const Choice& choice) {
    outbound::Request request;
    request.method = choice.is_head ? "HEAD" : "GET";
    request.truncate = choice.truncate;
    if (choice.small_body) {
        request.body_bytes_max = 10;
    }
    if (choice.small_head) {
        request.header_bytes_max = 100;
    }
    std::string streamed;
    if (choice.streamed) {
        request.on_body = [&streamed](std::span<const std::byte> piece) {
            streamed.append(reinterpret_cast<const char*>(piece.data()), piece.size());
            return true;
        };
    }
    if (choice.refuses_301) {
        request.on_head = [](const outbound::Response& head) { return head.status != 301; };
    }
    ResponseReader reader{request};
    auto state = reader.state();
    while (state == ResponseReader::State::needs_more && !bytes.empty()) {
        const auto size = std::min(pieces.next(), bytes.size());
        state = reader.feed(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    if (state == ResponseReader::State::needs_more) {
        state = reader.finish();
        check(state != ResponseReader::State::needs_more, "an end ends the answer");
    }
    if (state == ResponseReader::State::failed) {
        const auto error = reader.take_error();
        check(!error.detail.empty(), "a failure has words");
        return {.text = "failed " + error.detail, .response = {}};
    }
    auto& response = reader.response();
    const auto& body = choice.streamed ? streamed : response.body;
    check(body.size() <= request.body_bytes_max, "a body keeps to its cap");
    check(response.headers.size() <= 128, "headers keep to their number");
    check(response.status >= 200, "an interim answer is not the answer");
    std::string text = std::to_string(response.status) + '\n';
    for (const auto& [name, value] : response.headers) {
        check((name + value).find_first_of(std::string_view{"\r\n\0", 3}) == std::string::npos,
              "a header field holds no line end and no NUL");
        text += name;
        text += ": ";
        text += value;
        text += '\n';
    }
    return {.text = text + body, .response = std::move(response)};
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    if (size < 3) {
        return 0;
    }
    const auto choice = choice_of(data[0]);
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const auto whole = read_all(bytes, Pieces::whole(), choice);
    const auto single = read_all(bytes, Pieces::bytes(), choice);
    const auto random = read_all(bytes, Pieces::random(data[1]), choice);
    if (whole.text != single.text || whole.text != random.text) {
        std::fprintf(stderr, "whole:  %s\nsingle: %s\nrandom: %s\n", whole.text.c_str(),
                     single.text.c_str(), random.text.c_str());
    }
    check(whole.text == single.text, "single bytes are read as the whole is");
    check(whole.text == random.text, "random pieces are read as the whole is");
    const merpati::Timestamp now{std::chrono::seconds{1'800'000'000}};
    const auto wait =
        merpati::callback::parse_retry_after(whole.response.header("retry-after"), now);
    check(!wait || wait->count() >= 0, "no wait is negative");
    const auto again = merpati::callback::asked_again(bytes);
    check(again.size() * id_text_bytes <= bytes.size(), "only ids that were given come again");
    return 0;
}
