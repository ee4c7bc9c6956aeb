#include "outbound/connection.hpp"

#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

Connection::Connection(asio::any_io_executor executor, asio::ssl::context* tls, std::string host)
    : socket_(executor), host_(std::move(host)) {
    if (tls != nullptr) {
        tls_ = std::make_unique<asio::ssl::stream<tcp::socket>>(executor, *tls);
    }
}

void Connection::open(const tcp::endpoint& endpoint, SSL_SESSION* session, Handler done) {
    address = endpoint.address();
    if (session != nullptr) {
        SSL_SESSION_up_ref(session);
    }
    auto& socket = tls_ ? tls_->next_layer() : socket_;
    socket.async_connect(endpoint, [self = shared_from_this(), session,
                                    done = std::move(done)](error_code error) mutable {
        auto& connected = self->tls_ ? self->tls_->next_layer() : self->socket_;
        if (!error) {
            connected.set_option(tcp::no_delay{true}, error);
            connected.non_blocking(true, error);
        }
        if (error || !self->tls_) {
            SSL_SESSION_free(session);
            done(error);
            return;
        }
        self->shake_hands(session, std::move(done));
    });
}

void Connection::shake_hands(SSL_SESSION* session, Handler done) {
    auto* ssl = tls_->native_handle();
    error_code literal;
    asio::ip::make_address(host_, literal);
    if (literal) {
        SSL_set_tlsext_host_name(ssl, host_.c_str());  // SNI is for names only (RFC 6066).
    }
    static constexpr unsigned char protocols[] = "\x08http/1.1";
    SSL_set_alpn_protos(ssl, protocols, sizeof protocols - 1);
    if (session != nullptr) {
        SSL_set_session(ssl, session);
        SSL_SESSION_free(session);
    }
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback(asio::ssl::host_name_verification{host_});
    tls_->async_handshake(asio::ssl::stream_base::client,
                          [self = shared_from_this(),
                           done = std::move(done)](error_code error) mutable { done(error); });
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
    socket.close(ignored);
}

SSL_SESSION* Connection::session() {
    return tls_ ? SSL_get1_session(tls_->native_handle()) : nullptr;
}

}  // namespace merpati::outbound
