#include "outbound/client.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "outbound/connection_pool.hpp"
#include "outbound/tls_sessions.hpp"
#include "outbound/transfer.hpp"

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

/// How often deadlines and the ages of connections are checked, by one timer for all requests.
constexpr std::chrono::milliseconds sweep_every{50};
constexpr std::chrono::seconds refresh_every{30};  // Of this machine's own addresses.

}  // namespace

class Client::Impl : public std::enable_shared_from_this<Client::Impl> {
public:
    Impl(const Clock& clock, asio::any_io_executor executor, const AddressPolicy& policy,
         Resolver& resolver, ClientOptions options)
        : clock_(clock),
          executor_(std::move(executor)),
          policy_(policy),
          resolver_(resolver),
          options_(std::move(options)),
          timer_(executor_),
          pool_(clock_, policy_, options_) {
        tls_.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1);
        if (!options_.ca_file.empty()) {
            tls_.load_verify_file(options_.ca_file, ca_error_);
        }
    }

    [[nodiscard]] Result<void> ready() const {
        if (ca_error_) {
            return fail(ErrorCode::io_failed,
                        "outbound.ca_file " + options_.ca_file +
                            " cannot be read as PEM certificates: " + ca_error_.message());
        }
        return {};
    }

    void send(Request request, ResponseHandler done);
    void close();

private:
    using TransferPtr = std::shared_ptr<Transfer>;

    [[nodiscard]] ssl::context& tls();
    void start(const TransferPtr& transfer);
    void resolve(const TransferPtr& transfer);
    void dial(const TransferPtr& transfer, const Addresses& addresses);
    void open(const TransferPtr& transfer, asio::ip::tcp::socket socket, asio::ip::address address);
    void write(const TransferPtr& transfer);
    void write_rest(const TransferPtr& transfer, std::string_view bytes);
    void write_file(const TransferPtr& transfer);
    void read(const TransferPtr& transfer);
    void received(const TransferPtr& transfer, bool at_end);
    void complete(const TransferPtr& transfer);
    void connection_lost(const TransferPtr& transfer);
    void end(const TransferPtr& transfer, Result<Response> result, bool keep);
    void arm_timer();
    void sweep();

    const Clock& clock_;
    asio::any_io_executor executor_;
    const AddressPolicy& policy_;
    Resolver& resolver_;
    const ClientOptions options_;
    ssl::context tls_{ssl::context::tls_client};
    error_code ca_error_;
    bool roots_loaded_ = false;
    asio::steady_timer timer_;
    bool timer_armed_ = false;
    bool closed_ = false;
    ConnectionPool pool_;
    TlsSessions sessions_;
    boost::unordered_flat_set<TransferPtr> transfers_;
    SteadyTime refreshed_at_ = clock_.steady_now();
};

/// Loads the system's root certificates, which takes about 1 MiB and 20 ms, at the first use of
/// TLS. If there are none, each handshake fails, because no certificate is trusted.
ssl::context& Client::Impl::tls() {
    if (!roots_loaded_) {
        error_code ignored;
        tls_.set_default_verify_paths(ignored);
        roots_loaded_ = true;
    }
    return tls_;
}

void Client::Impl::send(Request request, ResponseHandler done) {
    auto transfer = std::make_shared<Transfer>();
    transfer->origin = request.url.origin();
    const auto now = clock_.steady_now();
    transfer->deadline = now + request.timeout;
    transfer->first_byte_by = request.first_byte_timeout.count() > 0
                                  ? now + request.first_byte_timeout
                                  : transfer->deadline;
    transfer->request = std::move(request);
    transfer->rewind();
    transfer->done = std::move(done);
    if (closed_) {
        asio::post(executor_, [transfer] {
            transfer->done(fail(ErrorCode::shutting_down, "the client is closed"));
        });
        return;
    }
    transfers_.insert(transfer);
    arm_timer();
    start(transfer);
}

void Client::Impl::start(const TransferPtr& transfer) {
    auto acquired = pool_.acquire(transfer->origin);
    if (!acquired) {
        end(transfer, fail(ErrorCode::busy, "too many requests are in flight"), false);
        return;
    }
    transfer->acquired = true;
    transfer->connection = std::move(*acquired);
    transfer->reused = transfer->connection != nullptr;
    if (transfer->reused) {
        write(transfer);
    } else {
        resolve(transfer);
    }
}

void Client::Impl::resolve(const TransferPtr& transfer) {
    const auto& url = transfer->request.url;
    if (url.literal) {
        dial(transfer, {*url.literal});
        return;
    }
    transfer->look_up = resolver_.resolve(
        url.host, [self = shared_from_this(), transfer](Result<Addresses> addresses) {
            transfer->look_up.reset();
            if (transfer->ended) {
                return;
            }
            if (!addresses) {
                self->end(transfer, pass(addresses), false);
                return;
            }
            self->dial(transfer, *addresses);
        });
}

/// One address that is not permitted refuses the whole name: an answer that mixes public and
/// private addresses is an attempt to reach a private one.
void Client::Impl::dial(const TransferPtr& transfer, const Addresses& addresses) {
    if (const auto now = clock_.steady_now(); now - refreshed_at_ >= refresh_every) {
        refreshed_at_ = now;
        policy_.refresh_own_addresses();
    }
    const bool permitted =
        !addresses.empty() && std::ranges::all_of(addresses, [this](const auto& address) {
            return policy_.permits(address);
        });
    if (!permitted) {
        end(transfer, fail(ErrorCode::refused, "the address is not a public one"), false);
        return;
    }
    transfer->race = std::make_shared<ConnectRace>(executor_, interleaved(addresses),
                                                   transfer->request.url.port);
    transfer->race->start([self = shared_from_this(), transfer](error_code error,
                                                                asio::ip::tcp::socket socket,
                                                                asio::ip::address address) {
        transfer->race.reset();
        if (error) {
            self->end(transfer, fail(ErrorCode::unreachable, "cannot connect"), false);
            return;
        }
        self->open(transfer, std::move(socket), std::move(address));
    });
}

/// If TLS fails, no other address is tried.
void Client::Impl::open(const TransferPtr& transfer, asio::ip::tcp::socket socket,
                        asio::ip::address address) {
    const auto& url = transfer->request.url;
    auto connection = std::make_shared<Connection>(std::move(socket), std::move(address),
                                                   url.scheme == "https" ? &tls() : nullptr);
    connection->opened_at = clock_.steady_now();
    transfer->connection = connection;
    if (!connection->is_tls()) {
        write(transfer);
        return;
    }
    connection->shake_hands(
        url.host, sessions_.find(transfer->origin),
        [self = shared_from_this(), transfer](error_code error) {
            if (transfer->ended) {
                return;
            }
            if (error) {
                self->end(transfer, fail(ErrorCode::unreachable, "TLS failed: " + error.message()),
                          false);
                return;
            }
            self->write(transfer);
        });
}

void Client::Impl::write(const TransferPtr& transfer) {
    transfer->received = false;
    transfer->reader.emplace(transfer->request);
    if (transfer->request.on_write) {
        transfer->request.on_write();
    }
    error_code error;
    const std::string_view bytes = transfer->bytes;
    const auto written = transfer->connection->write_some(bytes, error);
    if (error) {
        connection_lost(transfer);
        return;
    }
    transfer->written = true;
    if (written == bytes.size()) {
        write_file(transfer);
        return;
    }
    write_rest(transfer, bytes.substr(written));
}

void Client::Impl::write_rest(const TransferPtr& transfer, std::string_view bytes) {
    transfer->connection->write(bytes, [self = shared_from_this(), transfer](error_code failure) {
        if (transfer->ended) {
            return;
        }
        if (failure) {
            self->connection_lost(transfer);
            return;
        }
        self->write_file(transfer);
    });
}

/// Sends the request's file piece by piece, if it has one, and then reads the response.
void Client::Impl::write_file(const TransferPtr& transfer) {
    const auto more = transfer->next_piece();
    if (!more) {
        end(transfer, pass(more), false);
    } else if (*more) {
        write_rest(transfer, transfer->bytes);
    } else {
        read(transfer);
    }
}

void Client::Impl::read(const TransferPtr& transfer) {
    transfer->connection->read([self = shared_from_this(), transfer](error_code error) {
        if (transfer->ended) {
            return;
        }
        const bool at_end = error == asio::error::eof || error == ssl::error::stream_truncated;
        if (error && !at_end) {
            self->connection_lost(transfer);
            return;
        }
        self->received(transfer, at_end);
    });
}

void Client::Impl::received(const TransferPtr& transfer, bool at_end) {
    auto& reader = *transfer->reader;
    auto& buffer = transfer->connection->buffer;
    if (const auto size = buffer.size(); size > 0) {
        reader.feed({static_cast<const char*>(buffer.data().data()), size});
        buffer.consume(size);
        transfer->record_received(size, clock_.steady_now());
    }
    if (at_end) {
        if (!transfer->received) {
            connection_lost(transfer);
            return;
        }
        reader.finish();
    }
    switch (reader.state()) {
        case ResponseReader::State::needs_more:
            read(transfer);
            return;
        case ResponseReader::State::done:
            complete(transfer);
            return;
        case ResponseReader::State::failed:
            end(transfer, std::unexpected(reader.take_error()), false);
            return;
    }
}

void Client::Impl::complete(const TransferPtr& transfer) {
    auto& reader = *transfer->reader;
    // In TLS 1.3 the tickets come after the handshake, so the session is taken only now.
    if (auto session = transfer->connection->take_session()) {
        sessions_.put(transfer->origin, std::move(session));
    }
    end(transfer, std::move(reader.response()), reader.keep_alive());
}

/// The server may have closed a pooled connection just before it was used. If no byte of a response
/// has arrived, the request is sent once more, on a new connection, unless the server must not get
/// it twice.
void Client::Impl::connection_lost(const TransferPtr& transfer) {
    if (transfer->may_repeat()) {
        pool_.close_idle(transfer->origin);
        pool_.release(transfer->origin, std::exchange(transfer->connection, nullptr), false);
        transfer->acquired = false;
        transfer->rewind();
        start(transfer);
        return;
    }
    end(transfer, fail(ErrorCode::unreachable, "the connection broke"), false);
}

void Client::Impl::end(const TransferPtr& transfer, Result<Response> result, bool keep) {
    if (std::exchange(transfer->ended, true)) {
        return;
    }
    // `transfer` may refer to the element of `transfers_` that is erased here.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy keeps it alive.
    const auto held = transfer;
    transfers_.erase(transfer);
    if (!result && held->suffices()) {
        result = std::move(held->reader->response());
        result->is_whole = false;
    }
    if (held->look_up) {
        resolver_.cancel(*std::exchange(held->look_up, std::nullopt));
    }
    if (held->race != nullptr) {
        std::exchange(held->race, nullptr)->cancel();
    }
    if (held->acquired) {
        pool_.release(held->origin, std::exchange(held->connection, nullptr), keep && !closed_);
    }
    held->done(std::move(result));
}

void Client::Impl::arm_timer() {
    if (std::exchange(timer_armed_, true)) {
        return;
    }
    timer_.expires_after(sweep_every);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->timer_armed_ = false;
            self->sweep();
        }
    });
}

void Client::Impl::sweep() {
    const auto now = clock_.steady_now();
    std::vector<TransferPtr> timed_out;
    for (const auto& transfer : transfers_) {
        if (transfer->is_timed_out(now)) {
            timed_out.push_back(transfer);
        }
    }
    for (const auto& transfer : timed_out) {
        end(transfer, fail(ErrorCode::timeout, "no answer in time"), false);
    }
    pool_.sweep();
    if (!closed_ && (!transfers_.empty() || !pool_.empty())) {
        arm_timer();
    }
}

void Client::Impl::close() {
    closed_ = true;
    timer_.cancel();
    const auto open = transfers_;
    for (const auto& transfer : open) {
        end(transfer, fail(ErrorCode::shutting_down, "the client is closed"), false);
    }
    pool_.close_all();
}

Client::Client(const Clock& clock, asio::any_io_executor executor, const AddressPolicy& policy,
               Resolver& resolver, ClientOptions options)
    : impl_(std::make_shared<Impl>(clock, std::move(executor), policy, resolver,
                                   std::move(options))) {}

Client::~Client() = default;

Result<void> Client::ready() const {
    return impl_->ready();
}

void Client::send(Request request, ResponseHandler done) {
    impl_->send(std::move(request), std::move(done));
}

void Client::close() {
    impl_->close();
}

}  // namespace merpati::outbound
