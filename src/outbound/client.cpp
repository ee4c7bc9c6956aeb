#include "outbound/client.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "outbound/connection_pool.hpp"
#include "outbound/request_text.hpp"
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
    void dial(const TransferPtr& transfer, Addresses addresses);
    void write(const TransferPtr& transfer);
    void read(const TransferPtr& transfer);
    void take(const TransferPtr& transfer, bool at_end);
    void complete(const TransferPtr& transfer);
    void broken(const TransferPtr& transfer);
    void end(const TransferPtr& transfer, Result<Response> result, bool keep);
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
    /// Those that wait for a place: of their origin, or of all. May hold some that have ended.
    std::unordered_map<std::string, std::deque<TransferPtr>> waiting_;
    std::deque<TransferPtr> waiting_for_any_;
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
    transfer->connection = pool_.take_idle(transfer->origin);
    if (transfer->connection != nullptr) {
        transfer->counted = true;
        transfer->reused = true;
        write(transfer);
        return;
    }
    const auto place = pool_.reserve(transfer->origin);
    if (place == ConnectionPool::Place::given) {
        transfer->counted = true;
        transfer->reused = false;
        resolve(transfer);
        return;
    }
    auto& queue =
        place == ConnectionPool::Place::origin_full ? waiting_[transfer->origin] : waiting_for_any_;
    if (queue.size() >= waiting_max) {
        end(transfer, fail(ErrorCode::busy, "too many requests wait for a connection"), false);
        return;
    }
    queue.push_back(transfer);
}

void Client::Impl::resolve(const TransferPtr& transfer) {
    const auto& url = transfer->request.url;
    if (url.literal) {
        dial(transfer, {*url.literal});
        return;
    }
    resolver_.resolve(url.host, executor_,
                      [self = shared_from_this(), transfer](Result<Addresses> addresses) {
                          if (transfer->ended) {
                              return;
                          }
                          if (!addresses) {
                              self->end(transfer, pass(addresses), false);
                              return;
                          }
                          self->dial(transfer, std::move(*addresses));
                      });
}

/// One address that is not permitted refuses the name: a mixed answer is a try to slip one in.
void Client::Impl::dial(const TransferPtr& transfer, Addresses addresses) {
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
    const auto& url = transfer->request.url;
    auto* tls = url.scheme == "https" ? &tls_ : nullptr;
    auto connection = std::make_shared<Connection>(executor_, tls, url.host);
    transfer->connection = connection;
    const asio::ip::tcp::endpoint endpoint{addresses.front(), url.port};
    addresses.erase(addresses.begin());
    connection->open(
        endpoint, pool_.session(transfer->origin),
        [self = shared_from_this(), transfer, connection,
         rest = std::move(addresses)](error_code error) mutable {
            if (transfer->ended) {
                connection->close();
                return;
            }
            if (error) {
                connection->close();
                const bool tls_failed = error.category() == asio::error::get_ssl_category() ||
                                        error.category() == ssl::error::get_stream_category();
                if (!rest.empty() && !tls_failed) {
                    self->dial(transfer, std::move(rest));
                    return;
                }
                self->end(transfer,
                          fail(ErrorCode::unreachable,
                               tls_failed ? "TLS failed: " + error.message() : "cannot connect"),
                          false);
                return;
            }
            connection->opened_at = self->clock_.steady_now();
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
        pool_.release(transfer->origin, std::exchange(transfer->connection, nullptr), false);
        transfer->counted = false;
        start(transfer);
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
    if (held->counted) {
        pool_.release(held->origin, std::exchange(held->connection, nullptr), keep && !closed_);
        serve_waiting(held->origin);
    }
    held->done(std::move(result));
}

/// A place of this origin has become free, and so has one of all.
void Client::Impl::serve_waiting(const std::string& origin) {
    if (closed_) {
        return;
    }
    const auto next_of = [](std::deque<TransferPtr>& queue) {
        TransferPtr next;
        while (!queue.empty() && (next == nullptr || next->ended)) {
            next = std::move(queue.front());
            queue.pop_front();
        }
        return next != nullptr && !next->ended ? next : nullptr;
    };
    // First those of whatever origin: an origin with many requests must not keep all places.
    if (const auto next = next_of(waiting_for_any_)) {
        start(next);
    }
    const auto found = waiting_.find(origin);
    if (found == waiting_.end()) {
        return;
    }
    const auto next = next_of(found->second);
    if (found->second.empty()) {
        waiting_.erase(found);
    }
    if (next != nullptr) {
        start(next);
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
    waiting_.clear();
    waiting_for_any_.clear();
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
