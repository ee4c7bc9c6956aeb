// A connection to a node that carries many requests at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.hpp"
#include "forwarding/frame_socket.hpp"
#include "http/reply.hpp"
#include "outbound/peer_client.hpp"

namespace merpati::forwarding {

/// Operation: requests that are sent in one turn of the executor share a write, and their answers
/// come in any order, as soon as each is there. A node's system calls for passing requests on
/// therefore do not grow with their number.
///
/// Limits: request_text_max, answer_text_max, FrameSocket::waiting_max; callers limit what is under
/// way.
///
/// Threads: the executor's one.
class OutgoingChannel final : public std::enable_shared_from_this<OutgoingChannel> {
public:
    /// Why there is no answer.
    enum class Loss : std::uint8_t {
        not_sent,    // The request has not left.
        maybe_sent,  // The node may have carried it out.
    };
    using Done = std::move_only_function<void(std::expected<http::Reply, Loss>)>;

    /// `request`: channel_request. The client must outlive it.
    OutgoingChannel(const Clock& clock, outbound::PeerClient& client,
                    std::shared_ptr<const std::string> request)
        : clock_(clock), client_(client), request_(std::move(request)) {}

    /// Whether it is open, and the node reads what is sent.
    [[nodiscard]] bool has_room() const noexcept {
        return socket_ != nullptr && socket_->has_room();
    }
    /// Opens it, unless it is open, or will be, or could not be opened a moment ago.
    void open();

    /// Sends a request, of which `text` is all, and returns its number. Call while it has room.
    /// `done` is called once, after `send` has returned.
    std::uint64_t send(std::string_view text, Done done);
    /// Nobody waits for the answer any more: `done` is not called.
    void forget(std::uint64_t number);

    /// All that is under way is lost.
    void close();

    static constexpr std::chrono::seconds open_again_after{1};

private:
    void begin(boost::asio::ip::tcp::socket socket);
    void take(std::uint64_t number, std::string_view text);
    void lose();

    const Clock& clock_;
    outbound::PeerClient& client_;
    const std::shared_ptr<const std::string> request_;
    std::shared_ptr<outbound::PeerExchange> opening_;
    std::optional<SteadyTime> tried_at_;
    std::shared_ptr<FrameSocket> socket_;  // Null: it is not open.
    std::uint64_t last_ = 0;               // Frame that was sent.
    boost::unordered_flat_map<std::uint64_t, Done> under_way_;
};

}  // namespace merpati::forwarding
