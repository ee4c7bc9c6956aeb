#include "http/io_thread.hpp"

#include <exception>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <fmt/format.h>

#include "base/thread.hpp"

namespace merpati::http {
namespace {

/// How many clients are accepted from one listener before the others are served.
constexpr int accepts_in_a_row = 64;

/// The number of connections from which new ones are closed at once, without a 503.
std::size_t overloaded_max(const Limits& limits) {
    return limits.connections_max + limits.connections_max / 8 + 16;
}

std::size_t share(std::size_t bytes, std::size_t threads) {
    return std::max(bytes / threads, IoThread::bytes_min);
}

}  // namespace

IoThread::IoThread(Service& service, std::size_t index, std::size_t threads)
    : service_(service),
      name_(fmt::format("http-{}", index)),
      context_(1),
      work_(context_.get_executor()),
      sweep_timer_(context_),
      replies_(std::make_shared<ReplyQueue>([this] { post([this] { take_replies(); }); })),
      strangers_(share(service.limits.anonymous_bytes_max, threads)),
      callers_(share(service.limits.caller_bytes_max, threads)),
      request_ids_(service.random),
      answers_(1 + service.router.paths().size() + service.local_router.paths().size()) {}

IoThread::~IoThread() {
    stop();
    join();
}

void IoThread::listen(BoundSocket socket, Origin origin) {
    listeners_.push_back(std::make_unique<Listener>(context_, std::move(socket), origin));
}

void IoThread::start() {
    now_ = service_.clock.steady_now();
    for (const auto& listener : listeners_) {
        listener->start([this](Listener& ready) { accept_from(ready); });
    }
    schedule_sweep();
    thread_ = start_thread(name_, [this] {
        replies_->own();
        context_.run();
    });
}

void IoThread::drain() {
    post([this] {
        draining_ = true;
        for (const auto& listener : listeners_) {
            listener->close();
        }
        for (auto next = connections_.begin(); next != connections_.end();) {
            (next++)->drain();
        }
        const std::lock_guard lock{service_.drain_mutex};
        ++service_.draining;
        service_.drained.notify_all();
    });
}

void IoThread::stop() {
    post([this] { close_all(); });
}

void IoThread::join() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void IoThread::close_all() {
    replies_->close();
    for (const auto& listener : listeners_) {
        listener->close();
    }
    while (!connections_.empty()) {
        connections_.front().close();
    }
    stopping_ = true;
    sweep_timer_.cancel();
    work_.reset();
}

Counts IoThread::counts() const noexcept {
    return {.connections_open = open_.load(std::memory_order_relaxed),
            .connections_total = accepted_.load(std::memory_order_relaxed),
            .requests_total = requests_.load(std::memory_order_relaxed),
            .refused_total = refused_.load(std::memory_order_relaxed),
            .shed_total = shed_.load(std::memory_order_relaxed),
            .hung_up_total = hung_up_.load(std::memory_order_relaxed),
            .anonymous_bytes = anonymous_bytes_.load(std::memory_order_relaxed),
            .caller_bytes = caller_bytes_.load(std::memory_order_relaxed)};
}

std::array<std::uint64_t, 5> IoThread::answers(std::size_t path) const noexcept {
    std::array<std::uint64_t, 5> counts{};
    std::ranges::transform(answers_[path], counts.begin(), [](const Counter& counter) {
        return counter.load(std::memory_order_relaxed);
    });
    return counts;
}

void IoThread::link(Connection& connection) {
    connections_.push_back(connection);
    open_.store(open_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void IoThread::unlink(Connection& connection) {
    connections_.erase(connections_.iterator_to(connection));
    open_.store(open_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    if (service_.open.fetch_sub(1) == 1 && draining_) {
        const std::lock_guard lock{service_.drain_mutex};
        service_.drained.notify_all();
    }
}

void IoThread::accept_from(Listener& listener) {
    for (int i = 0; i < accepts_in_a_row; ++i) {
        const Listener::Accepted accepted = listener.accept();
        if (accepted.exhausted) {
            listener.pause();  // Until the next sweep, because trying again at once would spin.
            return;
        }
        if (accepted.descriptor < 0) {
            break;
        }
        adopt(accepted, listener.origin());
    }
    listener.wait();
}

void IoThread::adopt(const Listener::Accepted& accepted, Origin origin) {
    FileDescriptor socket{accepted.descriptor};
    add_one(accepted_);
    // The management socket is not limited, so that the operator can always connect.
    const std::size_t before = service_.open.fetch_add(1);
    const bool overloaded = origin == Origin::network &&
                            before >= service_.limits.connections_max &&
                            !make_room_for(accepted.peer);
    if (overloaded && before >= overloaded_max(service_.limits)) {
        service_.open.fetch_sub(1);
        count_refusal();
        return;
    }
    const int family = origin == Origin::network ? AF_INET6 : AF_UNIX;
    Stream::Socket stream{context_};
    boost::system::error_code error;
    stream.assign(boost::asio::generic::stream_protocol{family, 0}, socket.get(), error);
    if (error) {
        service_.open.fetch_sub(1);
        return;
    }
    (void)socket.release();
    SSL_CTX* tls = origin == Origin::network ? service_.tls.get() : nullptr;
    const auto connection =
        std::make_shared<Connection>(*this, std::move(stream), tls, origin, accepted.peer);
    if (overloaded) {
        connection->open_overloaded();
    } else {
        connection->open();
    }
}

void IoThread::hold(Connection& connection, const Party& party, PartyShares::Use use,
                    std::size_t bytes) {
    (party.is_known() ? callers_ : strangers_).hold(connection, party, use, bytes);
    count_bytes();
    const bool over = strangers_.is_over() || callers_.is_over();
    if (over && !std::exchange(shedding_, true)) {
        // Posted, because a connection is calling and must not be closed now.
        post([this] { shed_what_is_over(); });
    }
}

void IoThread::release(Connection& connection) noexcept {
    PartyShares::release(connection);
    count_bytes();
}

void IoThread::count_bytes() noexcept {
    anonymous_bytes_.store(strangers_.bytes(), std::memory_order_relaxed);
    caller_bytes_.store(callers_.bytes(), std::memory_order_relaxed);
}

void IoThread::shed_what_is_over() {
    shedding_ = false;
    for (auto* shares : {&strangers_, &callers_}) {
        while (shares->is_over()) {
            shed(*shares->victim());
        }
    }
}

bool IoThread::make_room_for(const PeerAddress& peer) {
    const auto own = strangers_.connections_of(Party{peer});
    auto* victim =
        callers_.connections() >= strangers_.connections() ? callers_.victim_for(own) : nullptr;
    if (victim == nullptr) {
        victim = strangers_.victim_for(own);
    }
    if (victim == nullptr) {
        return false;
    }
    shed(*victim);
    return true;
}

void IoThread::shed(PartyShares::Holding& victim) {
    add_one(shed_);
    static_cast<Connection&>(victim).close();
}

void IoThread::log_exception(std::string_view message, std::string_view route) const {
    try {
        throw;
    } catch (const std::exception& exception) {
        service_.log.error(message, {{"route", route}, {"why", exception.what()}});
    } catch (...) {
        service_.log.error(message, {{"route", route}, {"why", "an unknown exception"}});
    }
}

void IoThread::take_replies() {
    replies_->take_all(items_);
    for (ReplyQueue::Item& item : items_) {
        const auto connection = std::move(item.to);
        connection->take(std::move(item));
    }
    items_.clear();
}

void IoThread::schedule_sweep() {
    sweep_timer_.expires_after(service_.limits.sweep_interval);
    sweep_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error && !stopping_) {  // It may have expired just before it was cancelled.
            sweep();
            schedule_sweep();
        }
    });
}

void IoThread::sweep() {
    now_ = service_.clock.steady_now();
    for (auto next = connections_.begin(); next != connections_.end();) {
        (next++)->check_deadline(now_);
    }
    close_hung_up();
    for (const auto& listener : listeners_) {
        listener->resume();
    }
}

void IoThread::close_hung_up() {
    polled_.clear();
    polled_from_.clear();
    for (auto& connection : connections_) {
        if (const auto socket = connection.awaiting_answer()) {
            polled_.push_back({.fd = *socket, .events = POLLRDHUP, .revents = 0});
            polled_from_.push_back(&connection);
        }
    }
    if (polled_.empty() || ::poll(polled_.data(), polled_.size(), 0) <= 0) {
        return;
    }
    for (std::size_t i = 0; i < polled_.size(); ++i) {
        if (polled_[i].revents != 0) {
            add_one(hung_up_);
            polled_from_[i]->close();
        }
    }
}

}  // namespace merpati::http
