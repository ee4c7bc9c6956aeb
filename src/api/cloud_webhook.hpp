// GET and POST /v1/platform/cloud: the webhook of the official platform.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/container_hash/hash.hpp>

#include "api/session_cookie.hpp"
#include "base/shared_room.hpp"
#include "connector/platform_webhook.hpp"
#include "http/body_receiver.hpp"
#include "http/peer_address.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// Operation: GET answers the platform's challenge if its token is right, otherwise 403. POST takes
/// a body as it comes, whatever its media type is, and answers 200 when all that counts in it is
/// durable. Without a right signature it is answered 401, and without any secret 503, so that the
/// platform posts it again. Keys and cookies are not looked at.
///
/// Fairness: the bodies of all strangers together have at most `bytes_of_strangers_max`, shared by
/// address (SharedLimit) until they are stored or refused; the strings that hold them may take
/// twice as much. Known clients (PlatformWebhook::Standing) have as much for themselves, which
/// strangers cannot fill. Who gets no room is answered 503. A request whose signature has another
/// form, or of a client that is refused, is refused by its head alone; so is each while no secret
/// is known, unless another node may know one.
///
/// Threads: any. The platform's connector verifies and stores.
class CloudWebhook {
public:
    static constexpr std::size_t body_max = connector::PlatformWebhook::body_bytes_max;
    static constexpr std::size_t bytes_of_known_max = 16UL * 1024 * 1024;
    static constexpr std::size_t bytes_of_strangers_max = 16UL * 1024 * 1024;

    /// Null: no connector takes posts now.
    using Find = std::function<connector::PlatformWebhook*()>;
    /// How often accounts have moved from one node to another, as far as this node knows; empty
    /// while one is on its way. A post during which one has moved is answered 503, because nobody
    /// may have known its numbers.
    using Moves = std::function<std::optional<std::uint64_t>()>;
    /// `moves` is empty if there are no other nodes.
    CloudWebhook(Find find, AppAddress app, Moves moves = {});

    void verify(const http::Request& request, http::Responder responder) const;
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> receive(const http::Request& request,
                                                              http::Responder responder) const;

    // For those who give posts to other nodes.
    [[nodiscard]] http::PeerAddress client_of(const http::Request& request) const {
        return app_.client(request);
    }
    [[nodiscard]] bool is_known(const http::PeerAddress& client) const;
    /// Another node has verified a post of the client.
    void note_verified(const http::PeerAddress& client) const;

private:
    using Room = SharedRoom<http::PeerAddress, boost::hash<http::PeerAddress>>;
    class Body;

    const Find find_;
    const AppAddress app_;
    const Moves moves_;
    // Shared with bodies, which may outlive this object.
    const std::shared_ptr<Room> room_of_known_;
    const std::shared_ptr<Room> room_of_strangers_;
};

}  // namespace merpati::api
