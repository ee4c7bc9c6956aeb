#include "http/local_client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <poll.h>
#include <system_error>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "base/number.hpp"
#include "http/answer.hpp"
#include "http/chunk_decoder.hpp"
#include "http/local_address.hpp"

namespace merpati::http {
namespace {

namespace beast = boost::beast;
using Deadline = SteadyTime;

constexpr std::uint64_t answer_max = 64ULL * 1024 * 1024;
constexpr std::size_t head_max = 64UL * 1024;

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
        if (address.error().code == ErrorCode::io_failed) {  // Its directory cannot be opened.
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

bool is_readable(const FileDescriptor& socket) {
    pollfd polled{.fd = socket.get(), .events = POLLIN, .revents = 0};
    return ::poll(&polled, 1, 0) > 0;
}

/// Whether a send goes on until all is sent, or only until there is an answer.
enum class Until : std::uint8_t { sent, answered };

/// False: the server has answered, or closed, before it took all; its answer says why.
Result<bool> send_bytes(const FileDescriptor& socket, std::string_view bytes,
                        const std::string& path, Deadline deadline, Until until) {
    const bool heeds_answer = until == Until::answered;
    while (!bytes.empty()) {
        if (heeds_answer && is_readable(socket)) {
            return false;
        }
        const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EPIPE) {
            return false;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return socket_failure(path);
        }
        const auto events = heeds_answer ? short{POLLOUT | POLLIN} : short{POLLOUT};
        if (auto ready = wait_for(socket, events, deadline); !ready) {
            return pass(ready);
        }
    }
    return true;
}

Result<void> send_pieces(const FileDescriptor& socket, const BodyGiver& give,
                         const std::string& path, std::chrono::milliseconds timeout) {
    for (bool has_ended = false; !has_ended;) {
        const auto piece = give();
        if (!piece) {
            return pass(piece);
        }
        has_ended = piece->empty();
        std::string chunk;
        append_chunk(chunk, *piece);
        const auto taken =
            send_bytes(socket, chunk, path, SystemClock().steady_now() + timeout, Until::answered);
        if (!taken) {
            return pass(taken);
        }
        if (!*taken) {
            break;
        }
    }
    return {};
}

bool is_visible_ascii(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c <= ' ' || c >= '\x7f'; });
}

Result<void> check_target(std::string_view target) {
    if (!target.starts_with('/') || !is_visible_ascii(target)) {
        return fail(ErrorCode::invalid_argument, "the target of a request is a path in ASCII");
    }
    return {};
}

/// Reads one answer.
class Receiver {
public:
    Receiver(const FileDescriptor& socket, const std::string& path, const BodyTaker& take,
             std::chrono::milliseconds timeout, Deadline deadline)
        : socket_(socket), path_(path), take_(take), timeout_(timeout), deadline_(deadline) {}

    Result<ClientReply> receive(bool has_body) {
        auto head = receive_head();
        if (!head) {
            return pass(head);
        }
        reply_.status = static_cast<std::uint16_t>(head->result_int());
        auto whole = !has_body         ? Result<void>{}
                     : head->chunked() ? receive_chunks()
                                       : receive_length(*head);
        return whole ? Result<ClientReply>{std::move(reply_)} : pass(whole);
    }

private:
    using Head = beast::http::response<beast::http::empty_body>;

    /// Leaves the bytes after the head in `unread_`.
    Result<Head> receive_head() {
        std::size_t end = 0;
        while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
            const auto more = read_some();
            if (!more) {
                return pass(more);
            }
            if (*more == 0 || unread_.size() > head_max) {
                return fail(ErrorCode::protocol, unread_.empty()
                                                     ? "the server closed without an answer"
                                                     : "the server's answer is no HTTP");
            }
        }
        beast::http::response_parser<beast::http::empty_body> parser;
        parser.skip(true);  // The body is read below.
        beast::error_code error;
        parser.put(boost::asio::buffer(unread_.data(), end + 4), error);
        if (error || !parser.is_header_done()) {
            return fail(ErrorCode::protocol,
                        fmt::format("the server's answer is no HTTP: {}", error.message()));
        }
        unread_.erase(0, end + 4);
        return parser.release();
    }

    Result<void> receive_chunks() {
        ChunkDecoder decoder{std::numeric_limits<std::size_t>::max()};
        for (;;) {
            const auto progress = decoder.decode(unread_, unread_.data());
            if (auto taken = keep({unread_.data(), progress.produced}); !taken) {
                return taken;
            }
            unread_.clear();
            switch (progress.status) {
                case ChunkDecoder::Status::done:
                    return {};
                case ChunkDecoder::Status::malformed:
                case ChunkDecoder::Status::too_large:
                    return fail(ErrorCode::protocol, "the server's answer is no HTTP: bad chunks");
                case ChunkDecoder::Status::needs_more:
                    break;
            }
            if (auto more = read_or_end(); !more) {
                return more;
            }
        }
    }

    Result<void> receive_length(const Head& head) {
        if (reply_.status == 204 || reply_.status == 304) {
            return {};
        }
        const auto length = parse_whole<std::uint64_t>(head[beast::http::field::content_length]);
        if (!length || *length > answer_max) {
            return fail(ErrorCode::protocol, "the server's answer is too large, or has no size");
        }
        for (auto left = *length;;) {
            const auto piece = std::string_view{unread_}.substr(0, left);
            if (auto taken = keep(piece); !taken) {
                return taken;
            }
            left -= piece.size();
            unread_.clear();
            if (left == 0) {
                return {};
            }
            if (auto more = read_or_end(); !more) {
                return more;
            }
        }
    }

    Result<void> keep(std::string_view piece) {
        if (take_ && reply_.status == 200) {
            return piece.empty() ? Result<void>{} : take_(piece);
        }
        if (reply_.body.size() + piece.size() > answer_max) {
            return fail(ErrorCode::protocol, "the server's answer is too large");
        }
        reply_.body += piece;
        return {};
    }

    Result<void> read_or_end() {
        const auto more = read_some();
        if (!more) {
            return pass(more);
        }
        return *more > 0 ? Result<void>{}
                         : fail(ErrorCode::protocol, "the server's answer was cut off");
    }

    /// Returns the number of bytes; 0 at the end of the connection.
    Result<std::size_t> read_some() {
        std::array<char, 16'384> chunk;
        if (take_) {
            deadline_ = SystemClock().steady_now() + timeout_;
        }
        for (;;) {
            const ssize_t size = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
            if (size >= 0) {
                unread_.append(chunk.data(), static_cast<std::size_t>(size));
                return static_cast<std::size_t>(size);
            }
            if (errno != EAGAIN && errno != EINTR) {
                return socket_failure(path_);
            }
            if (auto ready = wait_for(socket_, POLLIN, deadline_); !ready) {
                return pass(ready);
            }
        }
    }

    const FileDescriptor& socket_;
    const std::string& path_;
    const BodyTaker& take_;
    const std::chrono::milliseconds timeout_;
    Deadline deadline_;
    std::string unread_;
    ClientReply reply_;
};

}  // namespace

Result<ClientReply> request(const std::string& socket_path, Method method, std::string_view target,
                            std::string_view body, std::chrono::milliseconds timeout,
                            const BodyTaker& take) {
    if (auto checked = check_target(target); !checked) {
        return pass(checked);
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
    if (auto sent = send_bytes(*socket, bytes, socket_path, deadline, Until::sent); !sent) {
        return pass(sent);
    }
    return Receiver{*socket, socket_path, take, timeout, deadline}.receive(method != Method::head);
}

Result<ClientReply> upload(const std::string& socket_path, Method method, std::string_view target,
                           std::string_view type, const BodyGiver& give,
                           std::chrono::milliseconds timeout) {
    if (auto checked = check_target(target); !checked) {
        return pass(checked);
    }
    if (!is_visible_ascii(type)) {
        return fail(ErrorCode::invalid_argument, "a media type is in ASCII, without blanks");
    }
    auto socket = connect_to(socket_path);
    if (!socket) {
        return pass(socket);
    }
    const std::string head = fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        to_string(method), target, type);
    const auto begun = SystemClock().steady_now();
    if (auto sent = send_bytes(*socket, head, socket_path, begun + timeout, Until::sent); !sent) {
        return pass(sent);
    }
    if (auto sent = send_pieces(*socket, give, socket_path, timeout); !sent) {
        return pass(sent);
    }
    const BodyTaker keeps_all;
    const auto deadline = SystemClock().steady_now() + timeout;
    return Receiver{*socket, socket_path, keeps_all, timeout, deadline}.receive(true);
}

}  // namespace merpati::http
