// http/request_reader: reads the same requests, or gives the same refusal, however the bytes of a
// connection are cut, and whether bodies are read in pieces or not. The first byte of the input
// chooses limits, the second the pieces.
#include "http/request_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "check.hpp"
#include "http/body_receiver.hpp"
#include "pieces.hpp"

namespace merpati::fuzz {
namespace {

using http::RequestReader;

void append_text(std::string& log, std::string_view text) {
    check(text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos,
          "a head holds no line end and no NUL");
    log += text;
    log += '\x01';
}

void append_request(std::string& log, const RequestReader& reader, std::string_view body,
                    const http::Limits& limits) {
    const auto& head = *reader.head();
    check(body.size() <= limits.body_max, "a body keeps to its limit");
    check(head.chunked || body.size() == head.content_length,
          "a body is as long as its Content-Length says");
    check(head.headers.size() <= limits.header_count_max, "headers keep to their limit");
    log += "request " + std::to_string(static_cast<int>(head.method)) + ' ';
    for (const auto text : {head.path, head.query, head.authorization, head.request_id}) {
        append_text(log, text);
    }
    for (const auto& [name, value] : head.headers) {
        append_text(log, name);
        append_text(log, value);
    }
    log += std::to_string(head.content_length);
    log += head.chunked ? 'c' : '-';
    log += head.keep_alive ? 'k' : '-';
    log += head.version_1_0 ? '0' : '1';
    log += head.expects_continue ? 'x' : '-';
    log += body;
    log += '\n';
}

/// Whether bodies are read as a whole or in pieces.
struct Rule final : http::BodyLimiter {
    http::BodyRule body_rule(const http::Head& /*head*/) override { return rule; }
    http::BodyRule rule;
};

std::string read_all(std::string_view bytes, const http::Limits& limits, Pieces pieces,
                     bool release, bool in_pieces = false) {
    Rule rule;
    rule.rule = {.bytes_max = limits.body_max, .in_pieces = in_pieces};
    RequestReader reader{limits, &rule};
    std::string log;
    std::string body;
    for (;;) {
        const auto state = reader.advance();
        if (state == RequestReader::State::refused) {
            check(reader.advance() == state, "a refusal stays");
            return log + "refused " + std::to_string(reader.refusal());
        }
        if (state == RequestReader::State::ready) {
            (void)reader.take_continue();
            check(!in_pieces || reader.body().empty(), "a body was read in pieces");
            append_request(log, reader, in_pieces ? body : reader.body(), limits);
            body.clear();
            reader.consume();
        } else if (state == RequestReader::State::begun) {
            check(in_pieces && reader.head() != nullptr, "a body in pieces begins with its head");
        } else if (state == RequestReader::State::piece) {
            const auto piece = reader.take_piece();
            check(!piece.empty() && piece.size() <= http::BodyReceiver::piece_max,
                  "a piece has its size");
            body += piece;
        } else if (bytes.empty()) {
            return log + "more " + std::to_string(static_cast<int>(reader.part()));
        } else {
            (void)reader.take_continue();
            const auto room = reader.room();
            check(!room.empty(), "there is room for at least one byte");
            const auto size = std::min({pieces.next(), bytes.size(), room.size()});
            std::memcpy(room.data(), bytes.data(), size);
            reader.received(size);
            bytes.remove_prefix(size);
            continue;
        }
        if (release) {
            reader.release();
        }
    }
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    if (size < 3) {
        return 0;
    }
    merpati::http::Limits limits;
    if ((data[0] & 1U) != 0) {
        limits.request_line_max = 40;
        limits.header_bytes_max = 120;
        limits.header_count_max = 4;
        limits.body_max = 32;
    }
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const auto whole = read_all(bytes, limits, Pieces::whole(), false);
    const auto single = read_all(bytes, limits, Pieces::bytes(), (data[0] & 2U) != 0);
    const auto random = read_all(bytes, limits, Pieces::random(data[1]), (data[0] & 4U) != 0);
    const auto apart = read_all(bytes, limits, Pieces::whole(), false, true);
    const auto apart_random =
        read_all(bytes, limits, Pieces::random(data[1]), (data[0] & 4U) != 0, true);
    if (whole != single || whole != random || whole != apart || whole != apart_random) {
        std::fprintf(stderr, "whole:  %s\nsingle: %s\nrandom: %s\napart: %s, %s\n", whole.c_str(),
                     single.c_str(), random.c_str(), apart.c_str(), apart_random.c_str());
    }
    check(whole == single, "single bytes are read as the whole is");
    check(whole == random, "random pieces are read as the whole is");
    check(whole == apart, "a body in pieces is read as the whole is");
    check(whole == apart_random, "random pieces of a body in pieces are read as the whole is");
    return 0;
}
