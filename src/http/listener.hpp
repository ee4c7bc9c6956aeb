// Listening sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "http/connection.hpp"
#include "http/local_address.hpp"
#include "http/peer_address.hpp"

namespace merpati::http {

/// A listening socket and its actual address ("127.0.0.1:43211", or a path).
struct BoundSocket {
    FileDescriptor descriptor;
    std::string address;
};

/// Binds `address` ("127.0.0.1:8080", "[::1]:0") once for each of `copies` threads; the kernel
/// distributes the clients (SO_REUSEPORT). No two servers get one address, also if they start at
/// once. Errors: invalid_argument (not an address and a port), io_failed.
[[nodiscard]] Result<std::vector<BoundSocket>> bind_network(const std::string& address,
                                                            std::size_t copies);

/// The management socket's file, with mode 0600. The destructor removes it unless another file has
/// taken its path.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(LocalSocketFile&& other) noexcept { swap(other); }
    LocalSocketFile& operator=(LocalSocketFile&& other) noexcept {
        swap(other);
        return *this;
    }
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile();

    /// Binds and listens. Replaces a socket file that no process listens on. Errors:
    /// invalid_argument (the path; see LocalAddress), io_failed (also if the file is not a socket,
    /// or another process listens on it).
    [[nodiscard]] Result<BoundSocket> bind(const std::string& path);

private:
    void swap(LocalSocketFile& other) noexcept;

    std::string path_;  // Empty: nothing to remove.
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
};

/// Accepts clients from a BoundSocket.
///
/// Operation: after `start` or `wait`, `on_ready` is called once, when clients wait. It calls
/// `accept` until that returns none, and then `wait`. To pause, it calls `pause` instead of `wait`;
/// `resume` then waits again.
///
/// Threads: the io_context's one.
class Listener {
public:
    Listener(boost::asio::io_context& context, BoundSocket socket, Origin origin);

    void start(std::function<void(Listener&)> on_ready);
    void wait();

    struct Accepted {
        int descriptor = -1;  // Non-blocking; the caller owns it. Negative: no client waits.
        PeerAddress peer{};
        bool exhausted = false;  // Out of descriptors or memory: call `pause`.
    };
    [[nodiscard]] Accepted accept() noexcept;

    void pause() noexcept { paused_ = true; }
    /// Calls `wait` if paused.
    void resume();

    void close();
    [[nodiscard]] Origin origin() const noexcept { return origin_; }

private:
    boost::asio::posix::stream_descriptor descriptor_;
    const Origin origin_;
    std::function<void(Listener&)> on_ready_;
    bool paused_ = false;
};

}  // namespace merpati::http
