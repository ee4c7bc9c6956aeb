// Takes the requests that other nodes pass on.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "forwarding/body_room.hpp"
#include "forwarding/node_secret.hpp"
#include "http/body_receiver.hpp"
#include "http/party.hpp"
#include "http/request.hpp"
#include "http/router.hpp"

namespace merpati::forwarding {

/// Operation: a request that has the nodes' proof is carried out by the handler that the routes
/// have for it, as if it had come here first; its caller is authenticated as always. Nothing is
/// passed on a second time: a handler may answer that another node works for it. After `leave` this
/// node does not work for what comes then. Without the proof the answer is an empty 421, and the
/// connection is closed.
///
/// Threads: the server's; `open` and `leave` any. It must outlive the server.
class ReceivingDesk {
public:
    /// Whose share of the limits a request takes. Asked while there are routes.
    using PartyOf = std::function<http::Party(const http::Request&)>;

    /// `body_max`: of routes without one.
    ReceivingDesk(const NodeSecret& secret, http::RefusalBody refusal, std::size_t body_max,
                  PartyOf party_of)
        : secret_(secret),
          refusal_(std::move(refusal)),
          body_max_(body_max),
          party_of_(std::move(party_of)) {}

    /// Adds routes for all methods and paths.
    void add_routes(http::Router& router);
    /// From now on this node works, with these handlers. Until then it says that it does not.
    void open(const http::Router& routes) noexcept { routes_ = &routes; }
    void leave() noexcept { routes_ = nullptr; }

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
    [[nodiscard]] http::Reply too_large(const http::Router& routes,
                                        const http::Request& request) const;
    [[nodiscard]] http::Reply refused(const http::Router::Match& match) const;

    const NodeSecret& secret_;
    std::atomic<const http::Router*> routes_{nullptr};  // Null: this node does not work.
    const http::RefusalBody refusal_;
    const std::size_t body_max_;
    const PartyOf party_of_;
    BodyRoom room_{collected_max};
};

}  // namespace merpati::forwarding
