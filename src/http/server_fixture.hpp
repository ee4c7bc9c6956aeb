// For the server's tests: a server on a free port, and a client that sends raw bytes.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"
#include "http/ascii.hpp"
#include "http/server.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::http::testing {

using namespace std::chrono_literals;
using merpati::testing::FixedRandom;
using merpati::testing::ManualClock;

constexpr auto patience = 10s;  // How long a test waits for an event before it fails.
constexpr std::string_view sound_request = "GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n";

/// A parsed answer.
struct Answer {
    int status = 0;
    std::string head;
    std::string body;

    [[nodiscard]] std::string header(std::string_view name) const {
        std::size_t at = head.find("\r\n");
        while (at != std::string::npos && at + 2 < head.size()) {
            const std::size_t end = head.find("\r\n", at + 2);
            const std::string line = head.substr(at + 2, end - at - 2);
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos && equals_ignoring_case(line.substr(0, colon), name)) {
                return line.substr(colon + 2);
            }
            at = end;
        }
        return "";
    }
};

/// A client over any connected socket.
class RawClient {
public:
    explicit RawClient(FileDescriptor socket) : socket_(std::move(socket)) {}

    /// `from`: the local address to connect from.
    static RawClient connect(const std::string& address, const char* from = "127.0.0.1") {
        const std::size_t colon = address.rfind(':');
        sockaddr_in target{};
        target.sin_family = AF_INET;
        target.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
        ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &target.sin_addr);
        FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in source{};
        source.sin_family = AF_INET;
        ::inet_pton(AF_INET, from, &source.sin_addr);
        EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&source), sizeof source),
                  0);
        EXPECT_EQ(
            ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target), 0);
        const int on = 1;  // So that single bytes travel as single segments.
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return RawClient{std::move(socket)};
    }

    /// False when the server took only a part.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    void send_byte_by_byte(std::string_view bytes) {
        for (const char& byte : bytes) {
            send({&byte, 1});
        }
    }
    void stop_sending() { ::shutdown(socket_.get(), SHUT_WR); }
    void hang_up() { socket_ = FileDescriptor{}; }
    [[nodiscard]] int descriptor() const { return socket_.get(); }

    /// The next answer; status 0 if the connection ended, or none came within `patience`.
    Answer receive(bool has_body = true) {
        std::size_t head_end = std::string::npos;
        while ((head_end = unread_.find("\r\n\r\n")) == std::string::npos) {
            if (!read_some()) {
                return {};
            }
        }
        Answer answer;
        answer.head = unread_.substr(0, head_end + 2);
        answer.status = std::stoi(answer.head.substr(9, 3));
        unread_.erase(0, head_end + 4);
        const std::string length = answer.header("Content-Length");
        const std::size_t size = has_body && !length.empty() ? std::stoul(length) : 0;
        while (unread_.size() < size) {
            if (!read_some()) {
                return {};
            }
        }
        answer.body = unread_.substr(0, size);
        unread_.erase(0, size);
        return answer;
    }

    /// The next `size` bytes; fewer if the connection ended, or no more came within `patience`.
    std::string receive_bytes(std::size_t size) {
        while (unread_.size() < size && read_some()) {
        }
        auto bytes = unread_.substr(0, size);
        unread_.erase(0, size);
        return bytes;
    }

    /// All bytes until the server closes. Fails the test if it does not close.
    std::string receive_all() {
        while (read_some()) {
        }
        EXPECT_TRUE(closed_) << "the server did not close; so far: " << unread_;
        return std::exchange(unread_, {});
    }

    /// Whether the server has closed without another byte.
    bool is_closed() {
        const std::string rest = receive_all();
        return closed_ && rest.empty();
    }

    /// Reads and drops at most `size` bytes; false at the end.
    bool skip(std::size_t size) {
        std::string chunk(size, '\0');
        return is_readable_socket() && ::recv(socket_.get(), chunk.data(), size, 0) > 0;
    }

    /// Whether bytes or the end have arrived.
    [[nodiscard]] bool is_readable(std::chrono::milliseconds within) const {
        pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        return !unread_.empty() || ::poll(&waiting, 1, static_cast<int>(within.count())) > 0;
    }

private:
    bool read_some() {
        char chunk[16 * 1024];
        if (!is_readable_socket()) {
            return false;
        }
        const ssize_t size = ::recv(socket_.get(), chunk, sizeof chunk, 0);
        if (size <= 0) {
            closed_ = true;
            return false;
        }
        unread_.append(chunk, static_cast<std::size_t>(size));
        return true;
    }
    [[nodiscard]] bool is_readable_socket() const {
        pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        return ::poll(&waiting, 1, std::chrono::milliseconds{patience}.count()) > 0;
    }

    FileDescriptor socket_;
    std::string unread_;
    bool closed_ = false;
};

/// Waits until other threads make `condition` true.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

inline std::string refusal_text(std::uint16_t status) {
    return "refused " + std::to_string(status);
}

/// A server whose routes tests add before `start`. /echo answers the body, /path the path and
/// query.
struct ServerTest : ::testing::Test {
    ServerTest() {
        options.listen = {"127.0.0.1:0"};
        options.limits.sweep_interval = 2ms;
        router.add(Method::post, "/echo", [](const Request& request, Responder responder) {
            responder.send({.status = 200, .body = std::string{request.body}});
        });
        router.add(Method::get, "/path/*", [](const Request& request, Responder responder) {
            responder.send({.status = 200,
                            .body = std::string{request.path} + "|" + std::string{request.query}});
        });
    }

    void start() {
        server.emplace(clock, random, options, router, local_router, refusal_text);
        const auto started = server->start();
        ASSERT_TRUE(started) << started.error().describe();
    }

    RawClient connect(const char* from = "127.0.0.1") {
        return RawClient::connect(server->addresses().at(0), from);
    }

    /// Moves the clock in small steps until `condition` holds. A deadline counts from the sweep
    /// before its wait began, so one large step could come before the wait.
    template <class Condition>
    [[nodiscard]] bool passing_time(Millis step, Condition condition) {
        return eventually([&] {
            clock.advance(step);
            std::this_thread::sleep_for(1ms);  // Time for a sweep; no event tells that one ended.
            return condition();
        });
    }

    ManualClock clock;
    FixedRandom random;
    Options options;
    Router router;
    Router local_router;
    std::optional<Server> server;
};

}  // namespace merpati::http::testing
