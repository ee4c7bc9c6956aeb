#include "forwarding/channel_text.hpp"

#include <array>
#include <utility>

#include <boost/endian/conversion.hpp>

#include "forwarding/passage_text.hpp"
#include "http/request.hpp"

namespace merpati::forwarding {
namespace {

/// A status of 16 bits, and the size of the header lines in 32 bits, in network order; the header
/// lines and the body follow.
constexpr std::size_t status_size = 2;
constexpr std::size_t prefix_size = status_size + 4;

}  // namespace

std::string channel_request(const NodeSecret& secret) {
    http::Request request;
    request.method = http::Method::get;
    request.path = "/";
    auto head = head_of(request, secret);
    head.append("Connection: Upgrade\r\nUpgrade: ").append(channel_protocol).append("\r\n\r\n");
    return head;
}

void send_answer(FrameSocket& socket, std::uint64_t number, const http::Reply& reply) {
    std::string headers;
    if (!reply.content_type.empty()) {
        headers.append("Content-Type: ").append(reply.content_type).append("\r\n");
    }
    headers += reply.headers;
    if (prefix_size + headers.size() + reply.content().size() > answer_text_max) {
        send_answer(socket, number, {.status = 500});
        return;
    }
    std::array<unsigned char, prefix_size> prefix;
    boost::endian::store_big_u16(prefix.data(), reply.status);
    boost::endian::store_big_u32(prefix.data() + status_size,
                                 static_cast<std::uint32_t>(headers.size()));
    const std::string_view before{reinterpret_cast<const char*>(prefix.data()), prefix.size()};
    socket.send(number, {before, headers, reply.content()});
}

std::optional<http::Reply> parse_answer(std::string_view text) {
    if (text.size() < prefix_size) {
        return std::nullopt;
    }
    const auto* const prefix = reinterpret_cast<const unsigned char*>(text.data());
    const auto status = boost::endian::load_big_u16(prefix);
    const auto headers_size = boost::endian::load_big_u32(prefix + status_size);
    text.remove_prefix(prefix_size);
    if (headers_size > text.size() || status < 200 || status > 599) {
        return std::nullopt;
    }
    return http::Reply{.status = status,
                       .body = std::string{text.substr(headers_size)},
                       .content_type = {},
                       .headers = std::string{text.substr(0, headers_size)}};
}

}  // namespace merpati::forwarding
