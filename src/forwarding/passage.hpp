// One request on its way to the node that works for its account.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/reply_pipe.hpp"
#include "http/body_receiver.hpp"
#include "http/party.hpp"
#include "http/reply.hpp"
#include "outbound/peer_client.hpp"

namespace merpati::forwarding {

struct Peer;

/// What is known of an answer before it is there. Brief: its body is whole and small.
enum class AnswerSize : std::uint8_t { any, brief };

/// What is known of a request before it is passed on.
struct PassedRequest {
    std::string method;  // passed_method
    std::shared_ptr<const std::string> bytes;
    bool has_more = false;  // More of the body follows in pieces.
    /// Carrying it out twice is the same as once.
    bool is_repeatable = false;
    AnswerSize answer = AnswerSize::any;     // Brief: it may take a channel.
    http::Party party{http::PeerAddress{}};  // Who has a share of what may wait.
    std::chrono::milliseconds patience{0};
    Shard shard = 0;  // Of its account.
};

/// Threads: the forwarder's, once it has begun.
struct Passage {
    Passage(PassedRequest passed, http::Responder answers)
        : request(std::move(passed)), responder(std::move(answers)), shard(request.shard) {}

    /// A piece of the body that waits until the request is sent.
    struct Piece {
        std::string bytes;
        bool last = false;
        std::optional<http::PieceHold> hold;
    };

    const PassedRequest request;
    std::optional<http::Responder> responder;  // Empty: it is answered.
    Shard shard;                               // To whose owner it goes.
    std::int64_t counted_for = 0;              // The node in whose limits it counts; 0: nobody.
    std::optional<SteadyTime> give_up_at{};    // Of a request that waits.
    std::optional<Piece> piece{};
    std::shared_ptr<Peer> peer{};  // To which it was sent last.
    std::shared_ptr<outbound::PeerExchange> exchange{};
    std::optional<std::uint64_t> channel_number{};  // Of a request that is under way on a channel.
    http::Reply reply{};                            // As far as it has come.
    std::shared_ptr<ReplyPipe> pipe{};              // Of an answer that is passed on in pieces.
    bool pieces_began = false;                      // Some of what follows in pieces was sent.
    /// The peer does not work for it, but whoever works for this shard. It may be the same shard.
    std::optional<Shard> elsewhere{};
    int redirects = 0;  // How often a peer has named another shard.
    bool ended = false;
};

}  // namespace merpati::forwarding
