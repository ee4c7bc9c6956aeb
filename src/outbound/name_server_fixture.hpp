// A scripted name server, for the resolver's tests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace merpati::outbound {

/// One question of one address family (RFC 1035), and the answers that fit it.
struct Question {
    std::string bytes;  // The whole message.
    std::string name;   // In lower case, without the last dot.
    bool v6 = false;
    bool tcp = false;

    /// An answer with these addresses, of four or sixteen bytes each. `flags`: the last byte is the
    /// code (3: no such name); 0x0200: truncated.
    [[nodiscard]] std::string answer(const std::vector<std::string>& addresses,
                                     unsigned flags = 0) const {
        std::string made = bytes.substr(0, 2);
        const auto put = [&made](unsigned number) {
            made += static_cast<char>(number >> 8U & 0xffU);
            made += static_cast<char>(number & 0xffU);
        };
        put(0x8180U | flags);
        put(1);
        put(static_cast<unsigned>(addresses.size()));
        put(0);
        put(0);
        made += bytes.substr(12, name.size() + 2 + 4);
        for (const auto& address : addresses) {
            put(0xc00c);  // A pointer to the question's name.
            put(v6 ? 28 : 1);
            put(1);
            put(0);
            put(60);
            put(static_cast<unsigned>(address.size()));
            made += address;
        }
        return made;
    }
};

/// Operation: listens on 127.0.0.1, UDP and TCP, and sends the script's messages for each question,
/// over UDP one datagram each. Threads: the io_context's one.
class ScriptedNameServer {
public:
    using Script = std::function<std::vector<std::string>(const Question&)>;

    ScriptedNameServer(boost::asio::io_context& io, Script script)
        : acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}),
          socket_(io, {boost::asio::ip::address_v4::loopback(), acceptor_.local_endpoint().port()}),
          script_(std::move(script)) {
        boost::asio::co_spawn(io, receive(), boost::asio::detached);
        boost::asio::co_spawn(io, accept(), boost::asio::detached);
    }

    [[nodiscard]] std::string address() const {
        return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    /// How often IPv4 addresses of the name were asked for.
    [[nodiscard]] int asked(const std::string& name) { return asked_[name]; }

private:
    using tcp = boost::asio::ip::tcp;
    using udp = boost::asio::ip::udp;
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    std::vector<std::string> answers(std::string bytes, bool over_tcp) {
        Question question{.bytes = std::move(bytes), .tcp = over_tcp};
        const auto& all = question.bytes;
        std::size_t at = 12;
        while (at < all.size() && all[at] != 0) {
            const auto size = static_cast<std::size_t>(all[at]);
            question.name += (question.name.empty() ? "" : ".") + all.substr(at + 1, size);
            at += size + 1;
        }
        question.v6 = all.at(at + 2) == 28;
        if (!question.v6) {
            ++asked_[question.name];
        }
        return script_(question);
    }

    awaitable<void> receive() {
        std::array<char, 2048> buffer;
        for (;;) {
            udp::endpoint from;
            const auto size = co_await socket_.async_receive_from(boost::asio::buffer(buffer), from,
                                                                  boost::asio::use_awaitable);
            for (const auto& answer : answers({buffer.data(), size}, false)) {
                co_await socket_.async_send_to(boost::asio::buffer(answer), from,
                                               boost::asio::use_awaitable);
            }
        }
    }

    awaitable<void> accept() {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(boost::asio::use_awaitable);
            boost::asio::co_spawn(acceptor_.get_executor(), serve(std::move(socket)),
                                  boost::asio::detached);
        }
    }

    awaitable<void> serve(tcp::socket socket) {
        try {
            for (;;) {
                std::array<unsigned char, 2> size;
                co_await boost::asio::async_read(socket, boost::asio::buffer(size),
                                                 boost::asio::use_awaitable);
                std::string bytes(size[0] * 256U + size[1], '\0');
                co_await boost::asio::async_read(socket, boost::asio::buffer(bytes),
                                                 boost::asio::use_awaitable);
                for (const auto& answer : answers(std::move(bytes), true)) {
                    const std::string head{static_cast<char>(answer.size() >> 8U),
                                           static_cast<char>(answer.size() & 0xffU)};
                    co_await boost::asio::async_write(socket, boost::asio::buffer(head + answer),
                                                      boost::asio::use_awaitable);
                }
            }
        } catch (const boost::system::system_error&) {
            co_return;
        }
    }

    tcp::acceptor acceptor_;
    udp::socket socket_;
    Script script_;
    std::map<std::string, int> asked_;
};

}  // namespace merpati::outbound
