// Passes requests on with their bodies.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "forwarding/body_room.hpp"
#include "forwarding/forwarder.hpp"
#include "forwarding/node_secret.hpp"
#include "http/body_receiver.hpp"
#include "http/party.hpp"
#include "http/request.hpp"
#include "http/router.hpp"

namespace merpati::forwarding {

/// Limits: a body of up to `whole_max` is collected before its request is passed on, while all that
/// are being collected take less than `collected_max`, which callers share (SharedLimit). Others go
/// through in pieces.
///
/// Threads: the servers'. It must outlive them.
class SendingDesk {
public:
    /// Whether carrying a request out twice is the same as once.
    using IsRepeatable = std::function<bool(const http::Request&)>;
    /// Whose share of all limits a request takes.
    using PartyOf = std::function<http::Party(const http::Request&)>;

    SendingDesk(Forwarder& forwarder, const NodeSecret& secret, IsRepeatable is_repeatable,
                PartyOf party_of)
        : forwarder_(forwarder),
          secret_(secret),
          is_repeatable_(std::move(is_repeatable)),
          party_of_(std::move(party_of)) {}

    /// Passes a request on to the owner of the shard.
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> take(Shard shard,
                                                           const http::Request& request,
                                                           http::Responder responder);
    /// The same for a request that has its whole body.
    void pass_on(Shard shard, const http::Request& request, http::Responder responder,
                 AnswerSize answer = AnswerSize::any) const {
        hand_over(shard, request, party_of_(request), std::move(responder), answer);
    }
    /// The same, which takes of the party's share.
    void hand_over(Shard shard, const http::Request& request, const http::Party& party,
                   http::Responder responder, AnswerSize answer = AnswerSize::any) const;

    /// How long a request waits for an owner.
    static constexpr std::chrono::seconds patience{15};
    static constexpr std::size_t whole_max = std::size_t{64} << 10;
    static constexpr std::size_t collected_max = std::size_t{32} << 20;

private:
    Forwarder& forwarder_;
    const NodeSecret& secret_;
    const IsRepeatable is_repeatable_;
    const PartyOf party_of_;
    BodyRoom room_{collected_max};
};

}  // namespace merpati::forwarding
