#include "outbound/client.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "outbound/connection.hpp"
#include "outbound/request_text.hpp"
#include "outbound/response_parser.hpp"

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;
using boost::system::error_code;

/// Deadlines and the pool's ages are checked this often, by one timer for all.
constexpr std::chrono::milliseconds sweep_every{50};
constexpr std::size_t waiting_max = 4'096;

struct FreeSession {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using Session = std::unique_ptr<SSL_SESSION, FreeSession>;

}  // namespace

struct Transfer;

class Client::Impl : public std::enable_shared_from_this<Client::Impl> {
public:
    Impl(const Clock& clock, asio::any_io_executor executor, const AddressPolicy& policy,
         Resolver& resolver, ClientOptions options)
        : clock_(clock),
          executor_(std::move(executor)),
          policy_(policy),
          resolver_(resolver),
          options_(std::move(options)),
          timer_(executor_) {
        error_code error;
        tls_.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1);
        tls_.set_default_verify_paths(error);
        if (!options_.ca_file.empty()) {
            tls_.load_verify_file(options_.ca_file, ca_error_);
        }
    }

    struct Pool {
        std::vector<std::shared_ptr<Connection>> idle;
        std::size_t open = 0;
        std::deque<std::shared_ptr<Transfer>> waiting;
        Session session;
    };

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
    friend struct Transfer;
    using TransferPtr = std::shared_ptr<Transfer>;

    void start(const TransferPtr& transfer);
    void resolve(const TransferPtr& transfer);
    void dial(const TransferPtr& transfer, Addresses addresses);
    void write(const TransferPtr& transfer);
    void read(const TransferPtr& transfer);
    void parse(const TransferPtr& transfer, bool at_end);
    void complete(const TransferPtr& transfer);
    void broken(const TransferPtr& transfer, error_code error);
    void end(const TransferPtr& transfer, Result<Response> result, bool keep);
    void serve_next(Pool& pool);
    [[nodiscard]] std::shared_ptr<Connection> take_idle(Pool& pool);
    void drop(Pool& pool, const std::shared_ptr<Connection>& connection);
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
    std::unordered_map<std::string, Pool> pools_;
    std::size_t open_total_ = 0;
    std::unordered_set<TransferPtr> transfers_;
};

/// One request on its way. `connection` is its own from taking or opening it until the end.
struct Transfer {
    Request request;
    ResponseHandler done;
    std::string bytes;
    std::string origin;
    SteadyTime deadline;
    std::shared_ptr<Connection> connection;
    std::unique_ptr<ResponseParser> parser;
    bool counted = false;   // Counts as an open connection of its pool.
    bool reused = false;    // The connection served an earlier request.
    bool received = false;  // A byte of an answer has come.
    bool ended = false;
    bool waits = false;  // In the pool's queue.
};

void Client::Impl::send(Request request, ResponseHandler done) {
    auto transfer = std::make_shared<Transfer>();
    transfer->bytes = request_text(request);
    transfer->origin = request.url.origin();
    transfer->deadline = clock_.steady_now() + request.timeout;
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
    auto& pool = pools_[transfer->origin];
    if ((transfer->connection = take_idle(pool)) != nullptr) {
        transfer->counted = true;
        transfer->reused = true;
        write(transfer);
        return;
    }
    if (pool.open >= options_.pool_per_origin || open_total_ >= options_.pool_total) {
        if (pool.waiting.size() >= waiting_max) {
            end(transfer, fail(ErrorCode::busy, "too many requests wait for this origin"), false);
            return;
        }
        transfer->waits = true;
        pool.waiting.push_back(transfer);
        return;
    }
    ++pool.open;
    ++open_total_;
    transfer->counted = true;
    transfer->reused = false;
    resolve(transfer);
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
        endpoint, pools_[transfer->origin].session.get(),
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
    transfer->parser =
        std::make_unique<ResponseParser>(transfer->request, transfer->request.method == "HEAD");
    transfer->connection->write(transfer->bytes,
                                [self = shared_from_this(), transfer](error_code error) {
                                    if (transfer->ended) {
                                        return;
                                    }
                                    if (error) {
                                        self->broken(transfer, error);
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
            self->broken(transfer, error);
            return;
        }
        self->parse(transfer, at_end);
    });
}

void Client::Impl::parse(const TransferPtr& transfer, bool at_end) {
    auto& parser = *transfer->parser;
    auto& buffer = transfer->connection->buffer;
    error_code error;
    if (buffer.size() > 0) {
        transfer->received = true;
        buffer.consume(parser.put(buffer.data(), error));
    }
    if (parser.cut()) {
        auto result = transfer->request.truncate || transfer->request.on_body
                          ? Result<Response>{std::move(parser.response)}
                          : fail(ErrorCode::refused, "the answer is larger than allowed");
        end(transfer, std::move(result), false);
        return;
    }
    if (error && error != http::error::need_more) {
        end(transfer, fail(ErrorCode::protocol, "not an HTTP answer: " + error.message()), false);
        return;
    }
    if (!parser.is_done() && at_end) {
        if (!transfer->received) {
            broken(transfer, asio::error::eof);
            return;
        }
        error = {};
        if (parser.got_some()) {  // Nothing may have followed a 1xx answer.
            parser.put_eof(error);
        }
        if (error || !parser.is_done()) {
            end(transfer, fail(ErrorCode::protocol, "the answer ended early"), false);
            return;
        }
    }
    if (!parser.is_done()) {
        read(transfer);
        return;
    }
    if (parser.response.status >= 100 && parser.response.status < 200) {
        if (parser.response.status == 101) {
            end(transfer, fail(ErrorCode::protocol, "an upgrade was not asked for"), false);
            return;
        }
        transfer->parser =
            std::make_unique<ResponseParser>(transfer->request, transfer->request.method == "HEAD");
        if (at_end) {
            end(transfer, fail(ErrorCode::protocol, "the answer ended early"), false);
        } else if (transfer->connection->buffer.size() > 0) {
            parse(transfer, false);
        } else {
            read(transfer);
        }
        return;
    }
    complete(transfer);
}

void Client::Impl::complete(const TransferPtr& transfer) {
    auto& parser = *transfer->parser;
    const bool keep = parser.keep_alive() && transfer->connection->buffer.size() == 0;
    auto& pool = pools_[transfer->origin];
    if (transfer->request.url.scheme == "https") {
        // TLS 1.3 sends its tickets after the handshake, so the session is taken now.
        pool.session.reset(transfer->connection->session());
    }
    end(transfer, std::move(parser.response), keep);
}

/// A pooled connection may have been closed by the server just now: then nothing was answered, and
/// the request is made once more on a new one.
void Client::Impl::broken(const TransferPtr& transfer, error_code error) {
    if (transfer->reused && !transfer->received) {
        auto& pool = pools_[transfer->origin];
        drop(pool, transfer->connection);
        for (const auto& stale : pool.idle) {
            drop(pool, stale);
        }
        pool.idle.clear();
        transfer->connection = nullptr;
        transfer->counted = true;
        transfer->reused = false;
        ++pool.open;
        ++open_total_;
        resolve(transfer);
        return;
    }
    const auto code =
        error == asio::error::no_buffer_space ? ErrorCode::protocol : ErrorCode::unreachable;
    end(transfer, fail(code, "the connection broke"), false);
}

void Client::Impl::end(const TransferPtr& transfer, Result<Response> result, bool keep) {
    if (std::exchange(transfer->ended, true)) {
        return;
    }
    const auto held = transfer;  // `transfers_` may hold the last reference.
    transfers_.erase(transfer);
    auto& pool = pools_[held->origin];
    if (held->waits) {
        std::erase(pool.waiting, held);
    }
    if (held->connection != nullptr && keep && !closed_) {
        held->connection->idle_since = clock_.steady_now();
        pool.idle.push_back(held->connection);
    } else if (held->connection != nullptr) {
        drop(pool, held->connection);
    } else if (held->counted) {
        --pool.open;
        --open_total_;
    }
    held->connection = nullptr;
    serve_next(pool);
    held->done(std::move(result));
}

void Client::Impl::serve_next(Pool& pool) {
    if (closed_ || pool.waiting.empty()) {
        return;
    }
    auto next = std::move(pool.waiting.front());
    pool.waiting.pop_front();
    next->waits = false;
    start(next);
}

std::shared_ptr<Connection> Client::Impl::take_idle(Pool& pool) {
    const auto now = clock_.steady_now();
    while (!pool.idle.empty()) {
        auto connection = std::move(pool.idle.back());
        pool.idle.pop_back();
        const bool fresh = now - connection->idle_since < options_.pool_idle &&
                           now - connection->opened_at < options_.pool_life;
        if (fresh && policy_.permits(connection->address)) {
            return connection;
        }
        drop(pool, connection);
    }
    return nullptr;
}

void Client::Impl::drop(Pool& pool, const std::shared_ptr<Connection>& connection) {
    connection->close();
    --pool.open;
    --open_total_;
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
        if (transfer->deadline <= now) {
            late.push_back(transfer);
        }
    }
    for (const auto& transfer : late) {
        end(transfer, fail(ErrorCode::timeout, "no answer in time"), false);
    }
    for (auto pool = pools_.begin(); pool != pools_.end();) {
        auto& idle = pool->second.idle;
        for (std::size_t place = 0; place < idle.size();) {
            if (now - idle[place]->idle_since >= options_.pool_idle ||
                now - idle[place]->opened_at >= options_.pool_life) {
                drop(pool->second, idle[place]);
                idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(place));
            } else {
                ++place;
            }
        }
        const bool unused = pool->second.open == 0 && pool->second.waiting.empty();
        pool = unused ? pools_.erase(pool) : std::next(pool);
    }
    if (!closed_ && (!transfers_.empty() || !pools_.empty())) {
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
    for (auto& [origin, pool] : pools_) {
        for (const auto& connection : pool.idle) {
            connection->close();
        }
    }
    pools_.clear();
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
