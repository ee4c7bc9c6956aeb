// One connected socket, plain or encrypted, as a connection uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>

#include "base/file_descriptor.hpp"

namespace merpati::http {

/// Operation: `read` and `write` never wait; the `async_` methods do. TCP and Unix sockets are used
/// alike. OpenSSL reads and writes the socket itself, without the two pairs of 17 KiB buffers that
/// asio::ssl::stream keeps for every connection; the handshake happens inside the first reads. TLS
/// state is allocated when the client's first byte has arrived.
///
/// Threads: the I/O thread that owns the socket. SIGPIPE must be blocked in it, as start_thread
/// does, because OpenSSL writes without MSG_NOSIGNAL.
class Stream {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using ErrorCode = boost::system::error_code;

    /// `tls` null: a plain stream. The context must outlive the stream.
    Stream(Socket socket, SSL_CTX* tls);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    struct Progress {
        std::size_t bytes = 0;  // 0 and not closed: it would have to wait.
        bool closed = false;    // The peer has closed, or the connection has failed.
    };

    /// Reads or writes as much as is possible without waiting.
    [[nodiscard]] Progress read(std::span<char> room);
    [[nodiscard]] Progress write(std::string_view bytes);

    /// An estimate of the memory that TLS takes now; 0 for a plain stream.
    [[nodiscard]] std::size_t tls_bytes() const noexcept;

    [[nodiscard]] bool is_encrypted() const noexcept { return context_ != nullptr; }

    /// The socket's descriptor, to poll. Owned by the stream.
    [[nodiscard]] int descriptor() noexcept { return socket_.native_handle(); }

    /// Plain streams only. Gives the socket away; afterwards only the destructor may be called.
    [[nodiscard]] FileDescriptor release();

    /// The user id at the other end of a Unix socket; empty if the system does not know.
    [[nodiscard]] std::optional<std::uint32_t> peer_user();

    /// Plain streams only. Waits for bytes, reads them into `room`, which must stay valid, and
    /// calls `handler(error, size)`.
    template <class Handler>
    void async_read(std::span<char> room, Handler handler) {
        socket_.async_read_some(boost::asio::buffer(room.data(), room.size()), std::move(handler));
    }

    /// Waits until `read` may go on and calls `handler(error, 0)`. Needs no buffer meanwhile.
    template <class Handler>
    void async_readable(Handler handler) {
        wait(read_wants_write_ ? Socket::wait_write : Socket::wait_read, std::move(handler));
    }

    /// Waits until `write` may go on and calls `handler(error, 0)`.
    template <class Handler>
    void async_writable(Handler handler) {
        wait(write_wants_read_ ? Socket::wait_read : Socket::wait_write, std::move(handler));
    }

    /// Ends the sending direction. Afterwards only `async_discardable` and `discard` may be called.
    void shut_down();

    /// Waits for bytes to discard, or for the end, and calls `handler(error, 0)`.
    template <class Handler>
    void async_discardable(Handler handler) {
        wait(Socket::wait_read, std::move(handler));
    }

    /// Reads and drops up to 64 KiB that have arrived; closed when the peer has closed too.
    [[nodiscard]] Progress discard();

private:
    struct SslDeleter {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };

    template <class Handler>
    void wait(Socket::wait_type readiness, Handler handler) {
        socket_.async_wait(readiness, [handler = std::move(handler)](
                                          const ErrorCode& error) mutable { handler(error, 0U); });
    }
    [[nodiscard]] Progress tls_progress(int result, bool& wants_other, int other);

    [[nodiscard]] bool begin_tls();

    Socket socket_;
    SSL_CTX* const context_;                // Null: plain.
    std::unique_ptr<SSL, SslDeleter> tls_;  // Null until the client's first byte has arrived.
    bool read_wants_write_ = false;
    bool write_wants_read_ = false;
    bool tls_failed_ = false;  // Then close_notify must not be sent (SSL_shutdown(3)).
};

}  // namespace merpati::http
