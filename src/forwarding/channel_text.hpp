// What is written in the frames of a channel, and how one is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forwarding/frame_socket.hpp"
#include "forwarding/node_secret.hpp"
#include "http/reply.hpp"

namespace merpati::forwarding {

/// The value of `Upgrade` in the request that opens a channel. The answer to that is an empty 101.
inline constexpr std::string_view channel_protocol = "merpati-channel/1";

/// Of the text of a request's frame, which is the request as it would be sent without a channel. An
/// empty one says that nobody waits for the answer of the number's request any more. Larger
/// requests take connections of their own, and with them the time of other threads.
inline constexpr std::size_t request_text_max = std::size_t{16} << 10;
/// Of the text of an answer's frame.
inline constexpr std::size_t answer_text_max = std::size_t{1} << 20;

/// The request that opens a channel, with its proof.
[[nodiscard]] std::string channel_request(const NodeSecret& secret);

/// Sends an answer whose body is whole; 500 in place of one that is too large.
void send_answer(FrameSocket& socket, std::uint64_t number, const http::Reply& reply);
/// Empty: it is none.
[[nodiscard]] std::optional<http::Reply> parse_answer(std::string_view text);

}  // namespace merpati::forwarding
