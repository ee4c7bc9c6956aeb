#include "http/stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <sys/socket.h>

#include <openssl/err.h>

#include "base/assert.hpp"

namespace merpati::http {
namespace {

int to_int(std::size_t size) noexcept {
    return static_cast<int>(
        std::min<std::size_t>(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

/// Converts the result of recv or send.
Stream::Progress to_progress(ssize_t result) noexcept {
    if (result >= 0) {
        return {.bytes = static_cast<std::size_t>(result), .closed = false};
    }
    const bool would_wait = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return {.bytes = 0, .closed = !would_wait};
}

/// Measured with OpenSSL 3.0: a handshake that waits for its client's next message, and an
/// established connection that waits for its next request.
constexpr std::size_t handshake_bytes = 48UL * 1024;
constexpr std::size_t established_bytes = 16UL * 1024;

}  // namespace

Stream::Stream(Socket socket, SSL_CTX* tls) : socket_(std::move(socket)), context_(tls) {}

Stream::~Stream() = default;

/// Creates the TLS state once the client's first byte has arrived. False: not yet.
bool Stream::begin_tls() {
    char first = 0;
    if (tls_ || ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) < 0) {
        return tls_ != nullptr;
    }
    tls_.reset(SSL_new(context_));
    invariant(tls_ != nullptr && SSL_set_fd(tls_.get(), socket_.native_handle()) == 1,
              "there is memory for a TLS connection");
    SSL_set_accept_state(tls_.get());
    return true;
}

std::size_t Stream::tls_bytes() const noexcept {
    if (!tls_) {
        return 0;
    }
    return SSL_is_init_finished(tls_.get()) == 1 ? established_bytes : handshake_bytes;
}

Stream::Progress Stream::read(std::span<char> room) {
    if (context_ == nullptr) {
        const ssize_t size =
            ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
        return size == 0 ? Progress{.closed = true} : to_progress(size);
    }
    if (!begin_tls()) {
        return {};
    }
    ERR_clear_error();
    const int result = SSL_read(tls_.get(), room.data(), to_int(room.size()));
    return tls_progress(result, read_wants_write_, SSL_ERROR_WANT_WRITE);
}

Stream::Progress Stream::write(std::string_view bytes) {
    if (context_ == nullptr) {
        return to_progress(::send(socket_.native_handle(), bytes.data(), bytes.size(),
                                  MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    if (!begin_tls()) {
        write_wants_read_ = true;  // TLS cannot send before the client's first message.
        return {};
    }
    ERR_clear_error();
    const int result = SSL_write(tls_.get(), bytes.data(), to_int(bytes.size()));
    return tls_progress(result, write_wants_read_, SSL_ERROR_WANT_READ);
}

Stream::Progress Stream::tls_progress(int result, bool& wants_other, int other) {
    wants_other = false;
    if (result > 0) {
        return {.bytes = static_cast<std::size_t>(result), .closed = false};
    }
    const int error = SSL_get_error(tls_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        wants_other = error == other;
        return {};
    }
    tls_failed_ = error != SSL_ERROR_ZERO_RETURN;
    return {.bytes = 0, .closed = true};
}

void Stream::shut_down() {
    if (tls_ && !tls_failed_ && SSL_is_init_finished(tls_.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    ::shutdown(socket_.native_handle(), SHUT_WR);
}

FileDescriptor Stream::release() {
    ErrorCode ignored;  // The descriptor is given away in any case.
    return FileDescriptor{socket_.release(ignored)};
}

std::optional<std::uint32_t> Stream::peer_user() {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return std::nullopt;
    }
    return credentials.uid;
}

Stream::Progress Stream::discard() {
    std::array<char, 4096> scratch;
    Progress total;
    for (int rounds = 0; rounds < 16; ++rounds) {
        const ssize_t size =
            ::recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
        const Progress progress = to_progress(size);
        total.bytes += progress.bytes;
        total.closed = progress.closed || size == 0;
        if (progress.bytes == 0) {
            break;
        }
    }
    return total;
}

}  // namespace merpati::http
