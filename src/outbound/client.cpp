#include "outbound/client.hpp"

#include <algorithm>
#include <unordered_map>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "outbound/connection_pool.hpp"
#include "outbound/shares.hpp"
#include "outbound/transfer.hpp"

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

/// Deadlines and the pool's ages are checked this often, by one timer for all.
constexpr std::chrono::milliseconds sweep_every{50};
constexpr std::size_t waiting_max = 4'096;
constexpr std::chrono::seconds refresh_every{30};  // This machine's own addresses.

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
        error_code error;
        tls_.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1);
        tls_.set_default_verify_paths(error);
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

    void start(const TransferPtr& transfer);
    void resolve(const TransferPtr& transfer);
    void dial(const TransferPtr& transfer, const Addresses& addresses);
    void connected(const TransferPtr& transfer, asio::ip::tcp::socket socket,
                   asio::ip::address address);
    void write(const TransferPtr& transfer);
    void read(const TransferPtr& transfer);
    void take(const TransferPtr& transfer, bool at_end);
    void complete(const TransferPtr& transfer);
    void broken(const TransferPtr& transfer);
    void end(const TransferPtr& transfer, Result<Response> result, bool keep);
    void wait(const TransferPtr& transfer, Transfer::Queue& queue);
    void stop_waiting(const TransferPtr& transfer);
    void serve_waiting(const std::string& origin);
    void arm();
    void sweep();

    const Clock& clock_;
    asio::any_io_executor executor_;
    const AddressPolicy& policy_;
    Resolver& resolver_;
    const ClientOptions options_;
    ssl::context tls_{ssl::context::tls_client};
    error_code ca_error_;
    asio::steady_timer timer_;
    bool armed_ = false;
    bool closed_ = false;
    ConnectionPool pool_;
    /// Those that wait for a place: of their origin, or of all.
    std::unordered_map<std::string, Transfer::Queue> waiting_;
    Transfer::Queue waiting_for_any_;
    Shares waiting_places_{waiting_max};
    boost::unordered_flat_set<TransferPtr> transfers_;
    SteadyTime refreshed_at_ = clock_.steady_now();
};

void Client::Impl::send(Request request, ResponseHandler done) {
    auto transfer = std::make_shared<Transfer>();
    transfer->bytes = request_text(request);
    transfer->origin = request.url.origin();
    const auto now = clock_.steady_now();
    transfer->deadline = now + request.timeout;
    transfer->first_byte_by = request.first_byte_timeout.count() > 0
                                  ? now + request.first_byte_timeout
                                  : transfer->deadline;
    transfer->request = std::move(request);
    transfer->done = std::move(done);
    if (closed_) {
        asio::post(executor_, [transfer] {
            transfer->done(fail(ErrorCode::shutting_down, "the client is closed"));
        });
        return;
    }
    transfers_.insert(transfer);
    arm();
    start(transfer);
}

void Client::Impl::start(const TransferPtr& transfer) {
    const auto& origin = transfer->origin;
    auto taken = pool_.take(origin, transfer->request.account);
    if (taken.place == ConnectionPool::Place::origin_full) {
        wait(transfer, waiting_[origin]);
        return;
    }
    if (taken.place == ConnectionPool::Place::all_full) {
        wait(transfer, waiting_for_any_);
        return;
    }
    stop_waiting(transfer);
    transfer->counted = true;
    transfer->connection = std::move(taken.connection);
    transfer->reused = transfer->connection != nullptr;
    if (transfer->reused) {
        write(transfer);
    } else {
        resolve(transfer);
    }
}

/// Who moves from one queue to the other keeps its place among those that wait.
void Client::Impl::wait(const TransferPtr& transfer, Transfer::Queue& queue) {
    const auto account = transfer->request.account;
    if (!transfer->waits) {
        if (!waiting_places_.may_take(account)) {
            end(transfer, fail(ErrorCode::busy, "too many requests wait for a connection"), false);
            return;
        }
        waiting_places_.take(account);
        transfer->waits = true;
    }
    transfer->queue = &queue;
    transfer->place = queue.push(account, transfer->origin, transfer);
}

void Client::Impl::stop_waiting(const TransferPtr& transfer) {
    if (auto* queue = std::exchange(transfer->queue, nullptr); queue != nullptr) {
        queue->remove(transfer->place);
    }
    if (std::exchange(transfer->waits, false)) {
        waiting_places_.give_back(transfer->request.account);
    }
}

void Client::Impl::resolve(const TransferPtr& transfer) {
    const auto& url = transfer->request.url;
    if (url.literal) {
        dial(transfer, {*url.literal});
        return;
    }
    transfer->look_up =
        resolver_.resolve(url.host, transfer->request.account,
                          [self = shared_from_this(), transfer](Result<Addresses> addresses) {
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

/// One address that is not permitted refuses the name: a mixed answer is a try to slip one in.
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
        self->connected(transfer, std::move(socket), std::move(address));
    });
}

/// A failure of TLS ends it: another address would be another server that nobody can vouch for.
void Client::Impl::connected(const TransferPtr& transfer, asio::ip::tcp::socket socket,
                             asio::ip::address address) {
    const auto& url = transfer->request.url;
    auto connection = std::make_shared<Connection>(std::move(socket), std::move(address),
                                                   url.scheme == "https" ? &tls_ : nullptr);
    connection->opened_at = clock_.steady_now();
    transfer->connection = connection;
    if (!connection->is_tls()) {
        write(transfer);
        return;
    }
    connection->shake_hands(
        url.host, pool_.session(transfer->origin),
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
    error_code error;
    const std::string_view bytes = transfer->bytes;
    const auto written = transfer->connection->write_some(bytes, error);
    if (error) {
        broken(transfer);
        return;
    }
    if (written == bytes.size()) {
        read(transfer);
        return;
    }
    transfer->connection->write(bytes.substr(written),
                                [self = shared_from_this(), transfer](error_code failure) {
                                    if (transfer->ended) {
                                        return;
                                    }
                                    if (failure) {
                                        self->broken(transfer);
                                        return;
                                    }
                                    self->read(transfer);
                                });
}

void Client::Impl::read(const TransferPtr& transfer) {
    transfer->connection->read([self = shared_from_this(), transfer](error_code error) {
        if (transfer->ended) {
            return;
        }
        const bool at_end = error == asio::error::eof || error == ssl::error::stream_truncated;
        if (error && !at_end) {
            self->broken(transfer);
            return;
        }
        self->take(transfer, at_end);
    });
}

void Client::Impl::take(const TransferPtr& transfer, bool at_end) {
    auto& reader = *transfer->reader;
    auto& buffer = transfer->connection->buffer;
    if (const auto size = buffer.size(); size > 0) {
        reader.feed({static_cast<const char*>(buffer.data().data()), size});
        buffer.consume(size);
        transfer->note_received(size, clock_.steady_now());
    }
    if (at_end) {
        if (!transfer->received) {
            broken(transfer);
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
    if (transfer->request.url.scheme == "https") {
        // TLS 1.3 sends its tickets after the handshake, so the session is taken now.
        pool_.keep_session(transfer->origin, transfer->connection->session());
    }
    end(transfer, std::move(reader.response()), reader.keep_alive());
}

/// A pooled connection may have been closed by the server just now: then nothing was answered, and
/// the request is made once more on a new one.
void Client::Impl::broken(const TransferPtr& transfer) {
    if (transfer->reused && !transfer->received) {
        pool_.close_idle(transfer->origin);
        pool_.release(transfer->origin, transfer->request.account,
                      std::exchange(transfer->connection, nullptr), false);
        transfer->counted = false;
        start(transfer);
        serve_waiting(transfer->origin);  // Where the place is another account's now.
        return;
    }
    end(transfer, fail(ErrorCode::unreachable, "the connection broke"), false);
}

void Client::Impl::end(const TransferPtr& transfer, Result<Response> result, bool keep) {
    if (std::exchange(transfer->ended, true)) {
        return;
    }
    // `transfers_` may hold the last reference, and `transfer` be an alias of it.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): that is what the copy is for.
    const auto held = transfer;
    transfers_.erase(transfer);
    if (!result && held->suffices()) {
        result = std::move(held->reader->response());
    }
    stop_waiting(held);
    if (held->look_up) {
        resolver_.cancel(*std::exchange(held->look_up, std::nullopt));
    }
    if (held->race != nullptr) {
        std::exchange(held->race, nullptr)->cancel();
    }
    if (held->counted) {
        pool_.release(held->origin, held->request.account, std::exchange(held->connection, nullptr),
                      keep && !closed_);
        serve_waiting(held->origin);
    }
    held->done(std::move(result));
}

/// A place of this origin has become free, and so has one of all.
void Client::Impl::serve_waiting(const std::string& origin) {
    if (closed_) {
        return;
    }
    const auto may_start = [this](std::int64_t account) { return pool_.has_room(account); };
    // First those of whatever origin: an origin with many requests must not keep all places.
    while (const auto next = waiting_for_any_.take(may_start)) {
        (*next)->queue = nullptr;
        start(*next);
    }
    const auto may_start_here = [this, &origin](std::int64_t account) {
        return pool_.has_room_at(origin, account);
    };
    for (;;) {
        const auto queue = waiting_.find(origin);
        if (queue == waiting_.end()) {
            return;
        }
        const auto next = queue->second.take(may_start_here);
        if (!next) {
            break;
        }
        (*next)->queue = nullptr;
        start(*next);
    }
}

void Client::Impl::arm() {
    if (std::exchange(armed_, true)) {
        return;
    }
    timer_.expires_after(sweep_every);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->armed_ = false;
            self->sweep();
        }
    });
}

void Client::Impl::sweep() {
    const auto now = clock_.steady_now();
    std::vector<TransferPtr> late;
    for (const auto& transfer : transfers_) {
        if (transfer->is_late(now)) {
            late.push_back(transfer);
        }
    }
    for (const auto& transfer : late) {
        end(transfer, fail(ErrorCode::timeout, "no answer in time"), false);
    }
    pool_.sweep();
    std::erase_if(waiting_, [](const auto& one) { return one.second.empty(); });
    if (!closed_ && (!transfers_.empty() || !pool_.empty())) {
        arm();
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
