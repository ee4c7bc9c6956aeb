#include "daemon/platform_posts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/errors.hpp"
#include "http/party.hpp"
#include "http/peer_address.hpp"

namespace merpati::daemon {
namespace {

using forwarding::Broadcast;

Broadcast::Part part_in(const http::Reply& reply) {
    if (reply.status == 200) {
        return Broadcast::Part::taken;
    }
    const bool may_be_anothers =
        reply.status == 401 || reply.content().contains("\"no_app_secret\"");
    return may_be_anothers ? Broadcast::Part::knows_nobody : Broadcast::Part::not_taken;
}

http::Reply post_again() {
    http::Reply reply{.status = 503, .body = api::refusal_body(503)};
    reply.add_header("Retry-After", "1");
    return reply;
}

}  // namespace

/// A post until it is answered.
struct PlatformPosts::Post {
    const http::PeerAddress client;
    const std::uint64_t moves;                           // When it came.
    bool is_verified = false;                            // By this node.
    std::optional<forwarding::BodyRoom::Place> place{};  // Of one that is not.
};

std::unique_ptr<http::BodyReceiver> PlatformPosts::take(const http::UploadHandler& here,
                                                        const http::Request& request,
                                                        http::Responder responder,
                                                        http::PieceHold hold) {
    const auto post = std::make_shared<Post>(webhook_->client_of(request), rooms_.moves());
    auto broadcast = std::make_shared<Broadcast>(
        request, std::move(responder),
        Broadcast::Rules{.part_in = part_in,
                         .spread = [this, post](Broadcast& all,
                                                Broadcast::Part own) { spread(*post, all, own); },
                         .ended =
                             [this, post](http::Reply reply, Broadcast::Part best) {
                                 return end(*post, std::move(reply), best);
                             }});
    auto own = here(request, broadcast->own_answer(), std::move(hold));
    return own == nullptr
               ? nullptr
               : std::make_unique<forwarding::BroadcastBody>(std::move(broadcast), std::move(own));
}

void PlatformPosts::spread(Post& post, Broadcast& broadcast, Broadcast::Part own) {
    post.is_verified = own == Broadcast::Part::taken;
    const bool is_known = webhook_->is_known(post.client);
    const http::Party address{post.client};
    if (!post.is_verified) {
        auto& room = is_known ? unverified_of_known_ : unverified_of_strangers_;
        post.place.emplace(room, address);
        if (!post.place->take(std::max(broadcast.body_size(), post_min))) {
            broadcast.answer(post_again());
            return;
        }
    }
    const auto party = post.is_verified || is_known ? http::Party::platform() : address;
    broadcast.send(rooms_.sending, rooms_.others(), party);
}

http::Reply PlatformPosts::end(Post& post, http::Reply reply, Broadcast::Part best) const {
    post.place.reset();
    if (best == Broadcast::Part::taken && !post.is_verified) {
        webhook_->note_verified(post.client);
    }
    const bool has_moved = rooms_.moves() != post.moves;
    return best == Broadcast::Part::taken && has_moved ? post_again() : std::move(reply);
}

}  // namespace merpati::daemon
