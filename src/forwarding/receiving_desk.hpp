// Takes the requests that other nodes pass on.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "forwarding/node_secret.hpp"
#include "forwarding/whole_body.hpp"
#include "http/body_receiver.hpp"
#include "http/request.hpp"
#include "http/router.hpp"

namespace merpati::forwarding {

/// Operation: a request that has the nodes' proof is carried out by the handler that `routes` has
/// for it, as if it had come here first; its caller is authenticated as always. Nothing is passed
/// on a second time. After `leave` this node does not work for what comes then. Without the proof
/// the answer is an empty 421, and the connection is closed.
///
/// Threads: the server's; `leave` any. It must outlive the server.
class ReceivingDesk {
public:
    /// `routes` null: this node does not work, and says so. `body_max`: of routes without one.
    ReceivingDesk(const NodeSecret& secret, const http::Router* routes, http::RefusalBody refusal,
                  std::size_t body_max)
        : secret_(secret), routes_(routes), refusal_(std::move(refusal)), body_max_(body_max) {}

    /// Adds routes for all methods and paths.
    void add_routes(http::Router& router);
    void leave() noexcept { left_ = true; }

    /// Of the headers that a node adds (Limits::header_bytes_max, Limits::header_count_max).
    static constexpr std::size_t added_header_bytes = 1024;
    static constexpr std::size_t added_headers = 8;
    /// Of bodies that are being collected; a request for which there is no room is answered 503.
    static constexpr std::size_t collected_max = std::size_t{64} << 20;

private:
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> take(const http::Request& given,
                                                           http::Responder responder,
                                                           http::PieceHold hold);
    [[nodiscard]] http::Reply too_large(const http::Request& request) const;
    [[nodiscard]] http::Reply refused(const http::Router::Match& match) const;

    const NodeSecret& secret_;
    const http::Router* const routes_;
    const http::RefusalBody refusal_;
    const std::size_t body_max_;
    BodyRoom room_{collected_max};
    std::atomic<bool> left_{false};
};

}  // namespace merpati::forwarding
