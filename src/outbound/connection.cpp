#include "outbound/connection.hpp"

#include <poll.h>

#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

Connection::Connection(tcp::socket socket, asio::ip::address peer, asio::ssl::context* tls)
    : address(std::move(peer)), socket_(std::move(socket)) {
    error_code ignored;  // A socket that is broken fails at its first use.
    socket_.set_option(tcp::no_delay{true}, ignored);
    socket_.non_blocking(true, ignored);
    if (tls != nullptr) {
        tls_ = std::make_unique<asio::ssl::stream<tcp::socket>>(std::move(socket_), *tls);
    }
}

void Connection::shake_hands(const std::string& host, SSL_SESSION* session, Handler done) {
    auto* ssl = tls_->native_handle();
    error_code literal;
    asio::ip::make_address(host, literal);
    if (literal) {
        SSL_set_tlsext_host_name(ssl, host.c_str());  // SNI is for names only (RFC 6066).
    }
    static constexpr unsigned char protocols[] = "\x08http/1.1";
    SSL_set_alpn_protos(ssl, protocols, sizeof protocols - 1);
    if (session != nullptr) {
        SSL_set_session(ssl, session);
    }
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback(asio::ssl::host_name_verification{host});
    tls_->async_handshake(asio::ssl::stream_base::client,
                          [self = shared_from_this(),
                           done = std::move(done)](error_code error) mutable { done(error); });
}

bool Connection::is_closed_by_server() {
    auto& socket = tls_ ? tls_->next_layer() : socket_;
    pollfd watched{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&watched, 1, 0) != 0;
}

std::size_t Connection::write_some(std::string_view bytes, error_code& error) {
    if (tls_) {
        error = {};
        return 0;
    }
    const auto written = socket_.write_some(asio::buffer(bytes), error);
    if (error == asio::error::would_block) {
        error = {};
    }
    return written;
}

void Connection::write(std::string_view bytes, Handler done) {
    auto handler = [self = shared_from_this(), done = std::move(done)](
                       error_code error, std::size_t) mutable { done(error); };
    if (tls_) {
        asio::async_write(*tls_, asio::buffer(bytes), std::move(handler));
    } else {
        asio::async_write(socket_, asio::buffer(bytes), std::move(handler));
    }
}

void Connection::read(Handler done) {
    auto handler = [self = shared_from_this(), done = std::move(done)](error_code error,
                                                                       std::size_t size) mutable {
        self->buffer.commit(size);
        done(error);
    };
    if (tls_) {
        tls_->async_read_some(buffer.prepare(buffer_max), std::move(handler));
    } else {
        socket_.async_read_some(buffer.prepare(buffer_max), std::move(handler));
    }
}

void Connection::close() {
    error_code ignored;
    auto& socket = tls_ ? tls_->next_layer() : socket_;
    if (tls_) {
        // Else OpenSSL takes a connection that ends without TLS's own end for an attack, and lets
        // nobody resume its session.
        SSL_set_shutdown(tls_->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    }
    socket.close(ignored);
}

TlsSession Connection::take_session() {
    if (!tls_ || session_taken_) {
        return nullptr;
    }
    TlsSession session{SSL_get1_session(tls_->native_handle())};
    if (!session || SSL_SESSION_is_resumable(session.get()) == 0) {
        return nullptr;
    }
    session_taken_ = true;
    return session;
}

}  // namespace merpati::outbound
