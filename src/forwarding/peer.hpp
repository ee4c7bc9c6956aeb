// A node to which requests are passed on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/clock.hpp"
#include "forwarding/outgoing_channel.hpp"
#include "forwarding/owner.hpp"
#include "outbound/peer_client.hpp"

namespace merpati::forwarding {

/// Of an address literal and a port, with IPv6 in brackets. Empty: the text is none.
[[nodiscard]] std::optional<boost::asio::ip::tcp::endpoint> endpoint_of(std::string_view address);

/// A node that works, or did a moment ago.
struct Peer {
    /// `channel_request`: opens a channel; null: none is used.
    Peer(const Clock& clock, boost::asio::any_io_executor executor,
         boost::asio::ip::tcp::endpoint endpoint, Owner of,
         const std::shared_ptr<const std::string>& channel_request)
        : owner(std::move(of)),
          client(clock, std::move(executor), std::move(endpoint)),
          channel(channel_request
                      ? std::make_shared<OutgoingChannel>(clock, client, channel_request)
                      : nullptr) {}

    void close() {
        if (channel != nullptr) {
            channel->close();
        }
        client.close();
    }

    const Owner owner;
    outbound::PeerClient client;
    const std::shared_ptr<OutgoingChannel> channel;  // May be null.
    std::size_t shards = 0;                          // For which it works.
    bool has_answered = false;
    std::optional<SteadyTime> refused_since{};  // Nobody listens there since then.
    bool is_dead = false;                       // Its process has ended.
    bool answers = true;                        // The last request that was sent reached it.
    bool was_tried = false;                     // In the present look at what waits.
    std::optional<SteadyTime> close_at{};       // Of one that works for nothing any more.
};

}  // namespace merpati::forwarding
