// Gives what the official platform posts to all nodes that share the accounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "api/cloud_webhook.hpp"
#include "forwarding/body_room.hpp"
#include "forwarding/broadcast.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::daemon {

/// Operation: the node that was asked verifies a post, and stores its own part; then the other
/// nodes get it, each of which knows only the numbers of its own accounts. The platform is answered
/// 200 if all have taken their part, and no account has moved meanwhile: otherwise it may have
/// missed its part, and the platform posts all of it again.
///
/// A secret of a device's own app is known only to the node that works for it. So a post that no
/// secret of this node has signed goes to the others, too, but few of them at a time.
///
/// Fairness: posts that were verified have a share of their own of what is on its way to another
/// node (http::Party::platform). The others take a share of their client's address there, and
/// together at most `unverified_max`, shared by address. Clients of which a post was verified
/// lately (CloudWebhook::is_known) have as much for themselves, and count as the platform. A post
/// without room is answered 503.
///
/// Threads: any. It must outlive the servers of its routes and the connectors.
class PlatformPosts {
public:
    struct Rooms {
        const forwarding::SendingDesk& sending;
        /// A shard of each other node that works.
        std::function<std::vector<forwarding::Shard>()> others;
        /// How often a shard has changed hands, as far as this node knows.
        std::function<std::uint64_t()> moves;
    };
    explicit PlatformPosts(Rooms rooms) : rooms_(std::move(rooms)) {}

    /// Before posts come. It must outlive them.
    void attend(const api::CloudWebhook& webhook) { webhook_ = &webhook; }

    /// `here`: the handler of this node's part.
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> take(const http::UploadHandler& here,
                                                           const http::Request& request,
                                                           http::Responder responder,
                                                           http::PieceHold hold);

    /// The bytes of posts that this node could not verify, each counted as `post_min` at least.
    static constexpr std::size_t unverified_max = std::size_t{8} << 20;
    static constexpr std::size_t post_min = std::size_t{64} << 10;

private:
    struct Post;
    void spread(Post& post, forwarding::Broadcast& broadcast, forwarding::Broadcast::Part own);
    [[nodiscard]] http::Reply end(Post& post, http::Reply reply,
                                  forwarding::Broadcast::Part best) const;

    const Rooms rooms_;
    const api::CloudWebhook* webhook_ = nullptr;
    forwarding::BodyRoom unverified_of_known_{unverified_max};
    forwarding::BodyRoom unverified_of_strangers_{unverified_max};
};

}  // namespace merpati::daemon
