// A TCP or TLS connection to a checked address.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "base/clock.hpp"
#include "outbound/tls_sessions.hpp"

namespace merpati::outbound {

/// Operation: made from a connected socket (ConnectRace). Call `shake_hands` if it is TLS, then
/// `write` and `read` in turn. `close` ends the operation in flight with an error.
///
/// Threads: the executor's one. The object stays alive until its handlers have run.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Handler = std::move_only_function<void(boost::system::error_code)>;

    /// `tls` null: plain TCP. `peer`: the address that was checked and dialled.
    Connection(boost::asio::ip::tcp::socket socket, boost::asio::ip::address peer,
               boost::asio::ssl::context* tls);

    [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }

    /// `host`: the name that the certificate must be valid for. `session`: the session of an
    /// earlier connection to the origin, which shortens the handshake; may be null.
    void shake_hands(const std::string& host, SSL_SESSION* session, Handler done);

    /// Whether the server has closed its side.
    [[nodiscard]] bool is_closed_by_server();

    /// Writes what the socket takes without waiting, and returns the number of bytes; always 0 for
    /// TLS. A socket that takes nothing is not an error.
    [[nodiscard]] std::size_t write_some(std::string_view bytes, boost::system::error_code& error);

    /// `bytes` must live until `done`.
    void write(std::string_view bytes, Handler done);

    /// Reads into `buffer`, which must be empty.
    void read(Handler done);

    void close();

    /// Plain TCP only. Gives the socket away; afterwards only `close` may be called.
    [[nodiscard]] boost::asio::ip::tcp::socket release() { return std::move(socket_); }

    /// The TLS session, for later handshakes. Null: the server has given none, it was taken before,
    /// or this is plain TCP.
    [[nodiscard]] TlsSession take_session();

    static constexpr std::size_t buffer_max = std::size_t{16} << 10;
    boost::beast::flat_buffer buffer{buffer_max};
    boost::asio::ip::address address;
    SteadyTime opened_at{};
    SteadyTime idle_since{};

private:
    boost::asio::ip::tcp::socket socket_;  // Plain TCP.
    std::unique_ptr<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>> tls_;
    bool session_taken_ = false;
};

}  // namespace merpati::outbound
