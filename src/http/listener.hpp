// Sockets that wait for clients.
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

/// A socket that listens, and the address it really has ("127.0.0.1:43211", or a path).
struct BoundSocket {
    FileDescriptor descriptor;
    std::string address;
};

/// Binds `address` ("127.0.0.1:8080", "[::1]:0") once for each of `copies` threads; the kernel
/// deals out the clients (SO_REUSEPORT). Errors: invalid_argument, io_failed.
[[nodiscard]] Result<std::vector<BoundSocket>> bind_network(const std::string& address,
                                                            std::size_t copies);

/// The management socket's file: mode 0600, removed by the destructor if it is still ours.
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

    /// Binds and listens. A file nobody listens on any more is replaced; one that is no socket, or
    /// that another process listens on, is not. Errors: invalid_argument, io_failed.
    [[nodiscard]] Result<BoundSocket> bind(const std::string& path);

private:
    void swap(LocalSocketFile& other) noexcept;

    std::string path_;  // Empty: nothing to remove.
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
};

/// Takes clients from a BoundSocket.
///
/// Operation: `start` calls `on_ready` whenever clients wait; it calls `accept` until that has no
/// more, and then `wait` again. Without `wait` nothing more is reported, which is how accepting
/// pauses.
class Listener {
public:
    Listener(boost::asio::io_context& context, BoundSocket socket, Origin origin);

    void start(std::function<void(Listener&)> on_ready);
    void wait();

    struct Accepted {
        int descriptor = -1;  // Not blocking. Negative: nobody waits.
        PeerAddress peer{};
        bool exhausted = false;  // Out of descriptors or memory: pause.
    };
    [[nodiscard]] Accepted accept() noexcept;

    void pause() noexcept { paused_ = true; }
    /// Waits again if it was paused.
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
