// Takes the requests that other nodes pass on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "forwarding/body_room.hpp"
#include "forwarding/incoming_channels.hpp"
#include "forwarding/node_secret.hpp"
#include "http/body_receiver.hpp"
#include "http/limits.hpp"
#include "http/party.hpp"
#include "http/request.hpp"
#include "http/router.hpp"
#include "telemetry/log.hpp"

namespace merpati::forwarding {

/// Operation: a request that has the nodes' proof is carried out by the handler that the routes
/// have for it, as if it had come here first; its caller is authenticated as always. Nothing is
/// passed on a second time: a handler may answer that another node works for it. After `leave` this
/// node does not work for what comes then. Without the proof the answer is an empty 421, and the
/// connection is closed. A node may open a channel, whose requests need the proof, too: without it
/// the answer is the same, and the channel stays.
///
/// Threads: the server's and that of the channels; `open` and `leave` any, `drain` and `stop` the
/// owner's. It must outlive the server.
class ReceivingDesk {
public:
    /// Whose share of the limits a request takes. Asked while there are routes.
    using PartyOf = std::function<http::Party(const http::Request&)>;

    /// `limits`: of the server; its body_max is that of routes without one.
    ReceivingDesk(const NodeSecret& secret, http::RefusalBody refusal, const http::Limits& limits,
                  PartyOf party_of, telemetry::Log log)
        : secret_(secret),
          refusal_(std::move(refusal)),
          limits_(limits),
          party_of_(std::move(party_of)),
          channels_([this](auto text, auto responder) { take(text, std::move(responder)); },
                    std::move(log)) {}

    /// Adds routes for all methods and paths.
    void add_routes(http::Router& router);
    /// From now on this node works, with these handlers. Until then it says that it does not.
    void open(const http::Router& routes) noexcept { routes_ = &routes; }
    void leave() noexcept { routes_ = nullptr; }
    /// Waits until what came over channels is answered, for `patience` at most.
    void drain(std::chrono::milliseconds patience) { channels_.drain(patience); }
    /// Closes all channels. Idempotent.
    void stop() { channels_.stop(); }

    /// Of the headers that a node adds (Limits::header_bytes_max, Limits::header_count_max).
    static constexpr std::size_t added_header_bytes = 1024;
    static constexpr std::size_t added_headers = 8;
    /// Of bodies that are being collected, shared among the callers; a request for which there is
    /// no room is answered 503.
    static constexpr std::size_t collected_max = std::size_t{64} << 20;

private:
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> take(const http::Request& given,
                                                           http::Responder responder,
                                                           http::PieceHold hold);
    /// Of a channel.
    void take(std::string_view text, http::Responder responder);
    [[nodiscard]] http::Reply new_channel();
    [[nodiscard]] http::Reply not_here() const;
    [[nodiscard]] http::Reply too_large(const http::Router& routes,
                                        const http::Request& request) const;
    [[nodiscard]] http::Reply refused(const http::Router::Match& match) const;

    const NodeSecret& secret_;
    std::atomic<const http::Router*> routes_{nullptr};  // Null: this node does not work.
    const http::RefusalBody refusal_;
    const http::Limits limits_;
    const PartyOf party_of_;
    BodyRoom room_{collected_max};
    IncomingChannels channels_;
};

}  // namespace merpati::forwarding
