// A scripted server, for the client's tests. Its answers may be wrong.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace merpati::outbound {

/// The answer to one request: `bytes`; then, if not empty, `again` for ever with a pause before
/// each. `close`: the connection ends after `bytes`.
struct ScriptedReply {
    std::string bytes;
    bool close = false;
    std::string again = {};
    std::chrono::milliseconds pause{0};
};

/// Operation: listens on every address of the machine, and asks the script with the number of the
/// connection (from 1) and the request's head. Threads: the io_context's one.
class ScriptedServer {
public:
    using Script = std::function<ScriptedReply(int connection, const std::string& head)>;

    ScriptedServer(boost::asio::io_context& io, Script script,
                   boost::asio::ssl::context* tls = nullptr)
        : acceptor_(io, {boost::asio::ip::address_v4::any(), 0}),
          script_(std::move(script)),
          tls_(tls) {
        boost::asio::co_spawn(io, accept(), boost::asio::detached);
    }

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    int connections = 0;
    int requests = 0;
    std::string last_head = {};
    std::string last_body = {};

private:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;
    using Socket = boost::asio::ip::tcp::socket;

    awaitable<void> accept() {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(boost::asio::use_awaitable);
            boost::asio::co_spawn(acceptor_.get_executor(), greet(std::move(socket), ++connections),
                                  boost::asio::detached);
        }
    }

    /// Ends when the client closes, which the socket reports by an exception.
    awaitable<void> greet(Socket socket, int number) {
        try {
            if (tls_ == nullptr) {
                co_await serve(socket, number);
                co_return;
            }
            boost::asio::ssl::stream<Socket> stream{std::move(socket), *tls_};
            co_await stream.async_handshake(boost::asio::ssl::stream_base::server,
                                            boost::asio::use_awaitable);
            co_await serve(stream, number);
        } catch (const boost::system::system_error&) {
            co_return;
        }
    }

    template <class Stream>
    awaitable<void> serve(Stream& stream, int number) {
        using boost::asio::use_awaitable;
        std::string received;
        for (;;) {
            const auto size = co_await boost::asio::async_read_until(
                stream, boost::asio::dynamic_buffer(received), "\r\n\r\n", use_awaitable);
            ++requests;
            const auto head = received.substr(0, size);  // Others come during the next read.
            received.erase(0, size);
            const auto length = body_size(head);
            if (received.size() < length) {
                co_await boost::asio::async_read(
                    stream, boost::asio::dynamic_buffer(received),
                    boost::asio::transfer_exactly(length - received.size()), use_awaitable);
            }
            last_head = head;
            last_body = received.substr(0, length);
            received.erase(0, length);
            const auto reply = script_(number, head);
            co_await boost::asio::async_write(stream, boost::asio::buffer(reply.bytes),
                                              use_awaitable);
            boost::asio::steady_timer timer{acceptor_.get_executor()};
            while (!reply.again.empty()) {
                timer.expires_after(reply.pause);
                co_await timer.async_wait(use_awaitable);
                co_await boost::asio::async_write(stream, boost::asio::buffer(reply.again),
                                                  use_awaitable);
            }
            if (reply.close) {
                co_return;
            }
        }
    }

    static std::size_t body_size(const std::string& head) {
        constexpr std::string_view name = "Content-Length: ";
        const auto place = head.find(name);
        return place == std::string::npos ? 0 : std::stoul(head.substr(place + name.size()));
    }

    boost::asio::ip::tcp::acceptor acceptor_;
    Script script_;
    boost::asio::ssl::context* tls_;
};

}  // namespace merpati::outbound
