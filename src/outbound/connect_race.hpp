// Connects to the first address of a name that accepts (Happy Eyeballs, RFC 8305).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "outbound/resolver.hpp"

namespace merpati::outbound {

/// The order in which addresses are tried: alternating between IPv4 and IPv6, beginning with the
/// family of the first one (RFC 8305 section 4). At most `ConnectRace::attempts_max` of them.
[[nodiscard]] Addresses interleaved(const Addresses& addresses);

/// Operation: `start` dials the first address. The next one is dialled `delay` later, or at once
/// when an attempt fails, while earlier attempts go on (RFC 8305 section 5). The first connection
/// that opens is used, the other attempts are closed. `cancel` closes all; `done` is then not
/// called.
///
/// Limits: no deadline; the caller cancels at its own.
///
/// Threads: the executor's one.
class ConnectRace : public std::enable_shared_from_this<ConnectRace> {
public:
    using Socket = boost::asio::ip::tcp::socket;
    using Done =
        std::move_only_function<void(boost::system::error_code, Socket, boost::asio::ip::address)>;

    static constexpr std::size_t attempts_max = 8;
    static constexpr std::chrono::milliseconds default_delay{250};

    /// `addresses`: at least one, checked and in order.
    ConnectRace(boost::asio::any_io_executor executor, Addresses addresses, std::uint16_t port,
                std::chrono::steady_clock::duration delay = default_delay);

    /// Calls `done` once, after `start` has returned, with the socket and its address, or with the
    /// error of the last attempt that failed.
    void start(Done done);
    void cancel();

private:
    void dial_next();
    void attempted(std::size_t index, boost::system::error_code error);
    void finish(boost::system::error_code error, Socket socket, boost::asio::ip::address address);

    boost::asio::any_io_executor executor_;
    Addresses addresses_;
    std::uint16_t port_;
    std::chrono::steady_clock::duration delay_;
    boost::asio::steady_timer timer_;
    std::vector<Socket> sockets_;  // Of the addresses dialled so far.
    std::size_t failed_ = 0;
    Done done_;
};

}  // namespace merpati::outbound
