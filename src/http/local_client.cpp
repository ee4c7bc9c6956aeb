#include "http/local_client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <system_error>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "http/file_descriptor.hpp"
#include "http/local_address.hpp"

namespace merpati::http {
namespace {

namespace beast = boost::beast;
using Parser = beast::http::response_parser<beast::http::string_body>;
using Deadline = SteadyTime;

constexpr std::uint64_t answer_max = 64ULL * 1024 * 1024;

std::unexpected<Error> socket_failure(const std::string& path) {
    const int reason = errno;
    const std::string detail =
        fmt::format("the server's socket {}: {}", path, std::generic_category().message(reason));
    switch (reason) {
        case ENOENT:
        case ECONNREFUSED:
        case ENOTSOCK:
        case ENOTDIR:
            return fail(ErrorCode::unreachable, detail);
        case EACCES:
        case EPERM:
            return fail(ErrorCode::refused, detail);
        case EAGAIN:
            return fail(ErrorCode::busy, detail);
        case EPIPE:
        case ECONNRESET:
            return fail(ErrorCode::protocol, detail);
        default:
            return fail(ErrorCode::io_failed, detail);
    }
}

/// Waits until the socket is ready for `events`.
Result<void> wait_for(const FileDescriptor& socket, short events, Deadline deadline) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock().steady_now());
        if (left.count() <= 0) {
            return fail(ErrorCode::timeout, "the server did not answer in time");
        }
        pollfd waiting{.fd = socket.get(), .events = events, .revents = 0};
        const int ready =
            ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000)));
        if (ready > 0) {
            return {};
        }
    }
}

Result<FileDescriptor> connect_to(const std::string& path) {
    const auto address = LocalAddress::of(path);
    if (!address) {
        if (address.error().code == ErrorCode::io_failed) {  // Not even its directory is there.
            return fail(ErrorCode::unreachable, address.error().detail);
        }
        return pass(address);
    }
    FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!socket || ::connect(socket.get(), address->data(), address->size()) != 0) {
        return socket_failure(path);
    }
    return socket;
}

Result<void> send_all(const FileDescriptor& socket, std::string_view bytes, const std::string& path,
                      Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EPIPE) {
            return {};  // Refused before it was whole: the answer says why.
        }
        if (errno != EAGAIN && errno != EINTR) {
            return socket_failure(path);
        }
        if (auto ready = wait_for(socket, POLLOUT, deadline); !ready) {
            return ready;
        }
    }
    return {};
}

Result<void> receive(const FileDescriptor& socket, Parser& parser, const std::string& path,
                     Deadline deadline) {
    std::array<char, 16'384> chunk;
    std::string unread;
    beast::error_code error;
    while (!parser.is_done()) {
        const ssize_t size = ::recv(socket.get(), chunk.data(), chunk.size(), 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (auto ready = wait_for(socket, POLLIN, deadline); !ready) {
                return ready;
            }
            continue;
        }
        if (size < 0) {
            return socket_failure(path);
        }
        if (size == 0) {
            if (!parser.got_some()) {
                return fail(ErrorCode::protocol, "the server closed without an answer");
            }
            parser.put_eof(error);
        } else {
            unread.append(chunk.data(), static_cast<std::size_t>(size));
            unread.erase(0, parser.put(boost::asio::buffer(unread), error));
        }
        if (error && error != beast::http::error::need_more) {
            return fail(ErrorCode::protocol,
                        fmt::format("the server's answer is no HTTP: {}", error.message()));
        }
    }
    return {};
}

}  // namespace

Result<ClientReply> request(const std::string& socket_path, Method method, std::string_view target,
                            std::string_view body, std::chrono::milliseconds timeout) {
    const auto unfit = [](char c) { return c <= ' ' || c >= '\x7f'; };
    if (!target.starts_with('/') || std::ranges::any_of(target, unfit)) {
        return fail(ErrorCode::invalid_argument, "the target of a request is a path in ASCII");
    }
    const Deadline deadline = SystemClock().steady_now() + timeout;
    auto socket = connect_to(socket_path);
    if (!socket) {
        return pass(socket);
    }
    const std::string bytes = fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
        to_string(method), target, body.size(), body);
    if (auto sent = send_all(*socket, bytes, socket_path, deadline); !sent) {
        return pass(sent);
    }
    Parser parser;
    parser.eager(true);
    parser.body_limit(answer_max);
    parser.skip(method == Method::head);
    if (auto received = receive(*socket, parser, socket_path, deadline); !received) {
        return pass(received);
    }
    return ClientReply{.status = static_cast<std::uint16_t>(parser.get().result_int()),
                       .body = std::move(parser.get().body())};
}

}  // namespace merpati::http
