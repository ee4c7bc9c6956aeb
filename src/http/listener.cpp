#include "http/listener.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include "base/number.hpp"

namespace merpati::http {
namespace {

using Endpoint = boost::asio::ip::tcp::endpoint;

constexpr int backlog = 4096;  // The kernel cuts it to net.core.somaxconn.

std::unexpected<Error> system_failure(std::string_view what, std::string_view remedy) {
    const std::string reason = std::generic_category().message(errno);
    return fail(ErrorCode::io_failed, fmt::format("{}: {}; {}", what, reason, remedy));
}

Result<Endpoint> parse_address(const std::string& text) {
    const auto malformed = [&] {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("'{}' is no address to listen on; write 127.0.0.1:8080 or "
                                "[::1]:8080, with an address of this machine",
                                text));
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) {
        return malformed();
    }
    std::string host = text.substr(0, colon);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) {
        host = host.substr(1, host.size() - 2);
    }
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    const auto port = parse_whole<std::uint16_t>(std::string_view{text}.substr(colon + 1));
    if (error || address.is_v6() != bracketed || !port) {
        return malformed();
    }
    return Endpoint{address, *port};
}

std::string to_text(const Endpoint& endpoint) {
    const std::string host = endpoint.address().to_string();
    return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                      : fmt::format("{}:{}", host, endpoint.port());
}

bool set_option(const FileDescriptor& socket, int level, int name) {
    const int on = 1;
    return ::setsockopt(socket.get(), level, name, &on, sizeof on) == 0;
}

/// Lets sockets of this user that set this too bind to the same address.
bool share_port(const FileDescriptor& socket) {
    return set_option(socket, SOL_SOCKET, SO_REUSEPORT);
}

/// Binds a socket to `endpoint` and puts the port into it. `shared`: others of share_port have it.
Result<FileDescriptor> bind_to(Endpoint& endpoint, bool shared) {
    const std::string what = fmt::format("cannot listen on {}", to_text(endpoint));
    static constexpr std::string_view remedy =
        "is another process listening there, or is the address not this machine's?";
    FileDescriptor socket{::socket(endpoint.data()->sa_family,
                                   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP)};
    const bool ready =
        socket && set_option(socket, SOL_SOCKET, SO_REUSEADDR) && (!shared || share_port(socket)) &&
        (endpoint.address().is_v4() || set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY)) &&
        set_option(socket, IPPROTO_TCP, TCP_NODELAY);  // Accepted sockets inherit it.
    auto size = static_cast<socklen_t>(endpoint.size());
    if (!ready || ::bind(socket.get(), endpoint.data(), size) != 0) {
        return system_failure(what, remedy);
    }
    size = static_cast<socklen_t>(endpoint.capacity());
    if (::getsockname(socket.get(), endpoint.data(), &size) != 0) {
        return system_failure(what, remedy);
    }
    return socket;
}

bool somebody_listens(const LocalAddress& address) {
    const FileDescriptor probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    // With a full backlog (EAGAIN) a process listens, too.
    return ::connect(probe.get(), address.data(), address.size()) == 0 || errno != ECONNREFUSED;
}

}  // namespace

Result<std::vector<BoundSocket>> bind_network(const std::string& address, std::size_t copies) {
    auto endpoint = parse_address(address);
    if (!endpoint) {
        return pass(endpoint);
    }
    std::vector<BoundSocket> sockets;
    while (sockets.size() < copies) {
        // A second server of the same user that shared the port would silently take half of the
        // clients. So the first socket listens alone, which fails if any process has the address,
        // and lets others share it only afterwards.
        const bool first = sockets.empty();
        auto socket = bind_to(*endpoint, !first);
        if (!socket) {
            return pass(socket);
        }
        if (::listen(socket->get(), backlog) != 0 ||
            (first && copies > 1 && !share_port(*socket))) {
            return system_failure(fmt::format("cannot listen on {}", to_text(*endpoint)),
                                  "is another process listening there?");
        }
        sockets.push_back({.descriptor = std::move(*socket), .address = to_text(*endpoint)});
    }
    return sockets;
}

Result<BoundSocket> LocalSocketFile::bind(const std::string& path) {
    const auto address = LocalAddress::of(path);
    if (!address) {
        return pass(address);
    }
    const std::string what = fmt::format("cannot listen on the socket {}", path);
    FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    struct stat file{};
    if (::lstat(address->path(), &file) == 0) {
        if (!S_ISSOCK(file.st_mode)) {
            return fail(ErrorCode::io_failed,
                        fmt::format("{}: the file exists and is no socket; move it away", what));
        }
        if (somebody_listens(*address)) {
            return fail(ErrorCode::io_failed,
                        fmt::format("{}: another process listens there; stop it first", what));
        }
        ::unlink(address->path());
    }
    static constexpr std::string_view remedy = "does its directory exist, and may this user write?";
    // Connecting fails until `listen`, so nobody connects before the mode is set.
    if (!socket || ::bind(socket.get(), address->data(), address->size()) != 0 ||
        ::chmod(address->path(), S_IRUSR | S_IWUSR) != 0 || ::lstat(address->path(), &file) != 0) {
        return system_failure(what, remedy);
    }
    path_ = path;
    device_ = file.st_dev;
    inode_ = file.st_ino;
    if (::listen(socket.get(), backlog) != 0) {
        return system_failure(what, remedy);
    }
    return BoundSocket{.descriptor = std::move(socket), .address = path};
}

LocalSocketFile::~LocalSocketFile() {
    struct stat file{};
    if (!path_.empty() && ::lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ &&
        file.st_ino == inode_) {
        ::unlink(path_.c_str());
    }
}

void LocalSocketFile::swap(LocalSocketFile& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
}

Listener::Listener(boost::asio::io_context& context, BoundSocket socket, Origin origin)
    : descriptor_(context, socket.descriptor.release()), origin_(origin) {}

void Listener::start(std::function<void(Listener&)> on_ready) {
    on_ready_ = std::move(on_ready);
    wait();
}

void Listener::wait() {
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code& error) {
                               if (!error) {
                                   on_ready_(*this);
                               }
                           });
}

Listener::Accepted Listener::accept() noexcept {
    for (;;) {
        sockaddr_storage peer{};
        socklen_t size = sizeof peer;
        const int descriptor =
            ::accept4(descriptor_.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size,
                      SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor >= 0) {
            return {.descriptor = descriptor, .peer = PeerAddress{peer}};
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            return {.exhausted = true};
        }
        if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO) {
            return {};
        }
    }
}

void Listener::resume() {
    if (std::exchange(paused_, false)) {
        wait();
    }
}

void Listener::close() {
    paused_ = false;
    boost::system::error_code ignored;
    descriptor_.close(ignored);
}

}  // namespace merpati::http
