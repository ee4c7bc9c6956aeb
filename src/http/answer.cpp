#include "http/answer.hpp"

#include <array>
#include <charconv>

namespace merpati::http {
namespace {

void append_number(std::string& out, std::size_t number) {
    std::array<char, 20> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), written.ptr);
}

}  // namespace

std::string_view reason_phrase(std::uint16_t status) noexcept {
    struct Phrase {
        std::uint16_t status;
        std::string_view text;
    };
    // The most frequent first.
    static constexpr Phrase phrases[] = {
        {200, "OK"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {431, "Request Header Fields Too Large"},
        {502, "Bad Gateway"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    };
    for (const Phrase& phrase : phrases) {
        if (phrase.status == status) {
            return phrase.text;
        }
    }
    static constexpr std::string_view classes[] = {"Continue", "OK", "Multiple Choices",
                                                   "Bad Request", "Internal Server Error"};
    return status >= 100 && status < 600 ? classes[status / 100 - 1] : "Unknown";
}

std::string_view append_answer(std::string& out, const Reply& reply, const Envelope& envelope) {
    const bool bodiless = reply.status < 200 || reply.status == 204 || reply.status == 304;
    static constexpr std::size_t fixed_lines = 200;
    const std::size_t needed = out.size() + fixed_lines + reply.content_type.size() +
                               envelope.request_id.size() + reply.headers.size() +
                               reply.body.size();
    if (out.capacity() < needed) {
        out.reserve(needed);
    }
    out.append("HTTP/1.1 ");
    append_number(out, reply.status);
    out.append(" ").append(reason_phrase(reply.status));
    if (!bodiless) {
        if (!reply.content_type.empty()) {
            out.append("\r\nContent-Type: ").append(reply.content_type);
        }
        if (reply.source == nullptr) {
            out.append("\r\nContent-Length: ");
            append_number(out, reply.content().size());
        } else if (!envelope.version_1_0) {
            out.append("\r\nTransfer-Encoding: chunked");
        }
    }
    // Answers quote what was asked; no browser may take them for another type than they have.
    out.append("\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ").append(envelope.request_id);
    if (!envelope.keep_alive) {
        out.append("\r\nConnection: close");
    } else if (envelope.version_1_0) {
        out.append("\r\nConnection: keep-alive");
    }
    out.append("\r\n").append(reply.headers).append("\r\n");
    if (bodiless || envelope.without_body || reply.source != nullptr) {
        return {};
    }
    if (!reply.static_body.empty()) {
        return reply.static_body;
    }
    out.append(reply.body);
    return {};
}

void append_chunk(std::string& out, std::string_view bytes) {
    std::array<char, 16> digits{};
    const auto written =
        std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16);
    out.append(digits.data(), written.ptr).append("\r\n").append(bytes).append("\r\n");
}

}  // namespace merpati::http
