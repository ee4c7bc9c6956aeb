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

namespace merpati::http {

/// Operation: `read` and `write` never wait; `async_read` and `async_writable` do. TCP and Unix
/// sockets are the same thing here. TLS goes straight through OpenSSL to the socket, without the
/// two pairs of 17 KiB buffers that asio::ssl::stream keeps for every connection; the handshake
/// happens inside the first reads. A client that says nothing costs no TLS state.
///
/// Threads: the I/O thread that owns the socket. It must have SIGPIPE blocked, as start_thread
/// does: OpenSSL writes without MSG_NOSIGNAL.
class Stream {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using ErrorCode = boost::system::error_code;

    /// `tls` null: plain. The context must outlive the stream.
    Stream(Socket socket, SSL_CTX* tls);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    struct Progress {
        std::size_t bytes = 0;  // 0: nothing for now, unless closed.
        bool closed = false;    // By the peer, in whichever way.
    };

    /// What can be had, or sent, at once.
    [[nodiscard]] Progress read(std::span<char> room);
    [[nodiscard]] Progress write(std::string_view bytes);

    /// About how much memory encryption takes at the moment; 0 for a plain stream.
    [[nodiscard]] std::size_t tls_bytes() const noexcept;

    [[nodiscard]] bool is_encrypted() const noexcept { return context_ != nullptr; }

    /// The user at the other end of a Unix socket; empty where the system does not say.
    [[nodiscard]] std::optional<std::uint32_t> peer_user();

    /// Waits for bytes, reads them into `room`, which must stay valid, and calls
    /// `handler(error, size)`. Of a plain stream alone.
    template <class Handler>
    void async_read(std::span<char> room, Handler handler) {
        socket_.async_read_some(boost::asio::buffer(room.data(), room.size()), std::move(handler));
    }

    /// Waits until `read` may go on and calls `handler(error, 0)`. Needs no room meanwhile.
    template <class Handler>
    void async_readable(Handler handler) {
        wait(read_wants_write_ ? Socket::wait_write : Socket::wait_read, std::move(handler));
    }

    /// Waits until `write` may go on and calls `handler(error, 0)`.
    template <class Handler>
    void async_writable(Handler handler) {
        wait(write_wants_read_ ? Socket::wait_read : Socket::wait_write, std::move(handler));
    }

    /// Says that no more will be sent. Only what follows may be called afterwards.
    void shut_down();

    /// Waits for what is to be discarded and calls `handler(error, 0)`.
    template <class Handler>
    void async_discardable(Handler handler) {
        wait(Socket::wait_read, std::move(handler));
    }

    /// Reads and forgets what has come; closed when the peer has closed too.
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
    std::unique_ptr<SSL, SslDeleter> tls_;  // Made when the client's first byte has come.
    bool read_wants_write_ = false;
    bool write_wants_read_ = false;
    bool tls_failed_ = false;  // Then not even a farewell may be sent.
};

}  // namespace merpati::http
