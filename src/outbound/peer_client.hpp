// The HTTP client for one server of ours, whose address its operator has given.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "outbound/connection.hpp"
#include "outbound/request.hpp"
#include "outbound/response.hpp"
#include "outbound/response_reader.hpp"

namespace merpati::outbound {

struct PeerRequest {
    std::string method;                        // As in `bytes`.
    std::shared_ptr<const std::string> bytes;  // The head, and what there is of the body.
    bool has_more = false;                     // PeerExchange::send_more sends the rest.
    /// Called when there is a connection: from then on the peer may have the request.
    std::function<void()> on_open;
    /// Called with status and headers of the response before its body. Returning false ends the
    /// exchange there, successfully.
    std::function<bool(const Response&)> on_head;
    /// Called with each piece of the body as it arrives. Returning false ends the exchange,
    /// successfully.
    std::function<bool(std::span<const std::byte>)> on_body;
    /// Called with the socket after the head of a response 101. Empty: no other protocol was asked
    /// for.
    std::function<void(boost::asio::ip::tcp::socket)> on_upgrade;
    /// Asked after each piece. False: nothing more is read before PeerExchange::read_on.
    std::function<bool()> has_room;
};

/// Called once, unless the exchange is cancelled. Errors: unreachable (also a connection that
/// broke), protocol, shutting_down (the client was closed).
using PeerDone = std::move_only_function<void(Result<void>)>;

class PeerPool;

/// One request to the peer, and the response.
///
/// Operation: the response is read while the body is sent, so that a peer may refuse a body before
/// its end. What was sent is not sent again on another connection.
///
/// Threads: the executor's one.
class PeerExchange final : public std::enable_shared_from_this<PeerExchange> {
public:
    PeerExchange(std::shared_ptr<PeerPool> pool, PeerRequest request, PeerDone done);

    /// Call once. Nothing is called before it returns.
    void start();

    /// Sends the next bytes of the body, in the form that the head announced. `sent` is called when
    /// the socket has taken them; it is dropped if that never happens.
    void send_more(std::string bytes, bool last, std::move_only_function<void()> sent);
    /// There is room for more of the response's body.
    void read_on();
    /// Ends the exchange and its connection. Nothing more is called.
    void cancel();
    void end(Result<void> result, bool keep = false);

    /// Whether a byte may have left: the peer may have carried the request out.
    [[nodiscard]] bool may_have_arrived() const noexcept { return may_have_arrived_; }

    /// Whether the peer's machine said that nobody listens there.
    [[nodiscard]] bool was_refused() const noexcept { return was_refused_; }

    static constexpr std::chrono::seconds connect_timeout{3};
    static constexpr std::size_t header_bytes_max = std::size_t{64} << 10;

private:
    struct Piece {
        std::shared_ptr<const std::string> bytes;
        bool last = false;
        std::move_only_function<void()> sent{};
    };

    void connect();
    void open();
    void write();
    void read();
    void received(bool at_end);
    void hand_over();
    void let_go(bool keep);

    const std::shared_ptr<PeerPool> pool_;
    Request limits_;  // Of the reader.
    const std::function<void()> on_open_;
    const std::function<void(boost::asio::ip::tcp::socket)> on_upgrade_;
    const std::function<bool()> has_room_;
    PeerDone done_;
    std::deque<Piece> pieces_;
    std::optional<Piece> writing_;
    std::shared_ptr<boost::asio::ip::tcp::socket> connecting_;
    boost::asio::steady_timer timer_;  // Of connecting.
    std::shared_ptr<Connection> connection_;
    std::optional<ResponseReader> reader_;
    bool may_have_arrived_ = false;
    bool was_refused_ = false;
    bool all_is_sent_ = false;
    bool cannot_send_ = false;
    bool paused_ = false;
    bool ended_ = false;
};

/// Operation: connects to the endpoint, whatever an AddressPolicy says of it, without TLS, and
/// keeps connections for later requests. Nothing limits how long a response may take: whoever waits
/// cancels.
///
/// Limits: `idle_max` idle connections, each for `idle_time`. Callers limit the exchanges. Memory
/// of an exchange: its bytes, and a read buffer of Connection::buffer_max.
///
/// Threads: the executor's one.
class PeerClient {
public:
    PeerClient(const Clock& clock, boost::asio::any_io_executor executor,
               boost::asio::ip::tcp::endpoint peer);
    ~PeerClient() { close(); }
    PeerClient(const PeerClient&) = delete;
    PeerClient& operator=(const PeerClient&) = delete;

    std::shared_ptr<PeerExchange> send(PeerRequest request, PeerDone done);

    /// Fails all exchanges with shutting_down, and closes all connections. Idempotent.
    void close();

    static constexpr std::size_t idle_max = 64;
    static constexpr std::chrono::seconds idle_time{30};

private:
    const std::shared_ptr<PeerPool> pool_;
};

}  // namespace merpati::outbound
