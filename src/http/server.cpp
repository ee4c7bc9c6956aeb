#include "http/server.hpp"

#include <map>
#include <mutex>

#include "base/assert.hpp"
#include "http/io_thread.hpp"

namespace merpati::http {

namespace {

/// How long `drain` waits at least until nothing listens any more.
constexpr std::chrono::seconds close_within{2};

}  // namespace

class Server::Impl {
public:
    Impl(const Clock& clock, Random& random, Options options, const Router& router,
         const Router& local_router, RefusalBody refusal, telemetry::Log log)
        : options_(std::move(options)),
          service_{.clock = clock,
                   .random = random,
                   .limits = options_.limits,
                   .router = router,
                   .local_router = local_router,
                   .refusal = std::move(refusal),
                   .log = std::move(log)} {}

    Result<void> start();
    void drain(std::chrono::milliseconds deadline);
    void stop();
    [[nodiscard]] Counts counts() const noexcept;
    [[nodiscard]] std::vector<PathAnswers> answers() const;
    [[nodiscard]] const std::vector<std::string>& addresses() const noexcept { return addresses_; }

private:
    Result<void> listen();

    const Options options_;
    Service service_;
    LocalSocketFile local_socket_;
    std::vector<std::unique_ptr<IoThread>> threads_;
    std::vector<std::string> addresses_;
    bool started_ = false;
    bool stopped_ = false;
};

Result<void> Server::Impl::start() {
    invariant(!started_, "a server is started once");
    if (options_.tls_certificate.empty() != options_.tls_key.empty()) {
        return fail(ErrorCode::io_failed,
                    "HTTPS needs both a certificate and its key; only one of them is set");
    }
    if (!options_.tls_certificate.empty()) {
        auto loaded = load_tls_context(options_.tls_certificate, options_.tls_key);
        if (!loaded) {
            return pass(loaded);
        }
        service_.tls = std::move(*loaded);
    }
    const std::size_t threads = std::max<std::size_t>(options_.threads, 1);
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.push_back(std::make_unique<IoThread>(service_, i, threads));
    }
    if (auto listening = listen(); !listening) {
        threads_.clear();
        addresses_.clear();
        return listening;
    }
    started_ = true;
    for (const auto& thread : threads_) {
        thread->start();
    }
    return {};
}

Result<void> Server::Impl::listen() {
    for (const std::string& address : options_.listen) {
        auto sockets = bind_network(address, threads_.size());
        if (!sockets) {
            return pass(sockets);
        }
        addresses_.push_back(sockets->front().address);
        for (std::size_t i = 0; i < threads_.size(); ++i) {
            threads_[i]->listen(std::move((*sockets)[i]), Origin::network);
        }
    }
    if (!options_.local_socket.empty()) {
        auto socket = local_socket_.bind(options_.local_socket);
        if (!socket) {
            return pass(socket);
        }
        threads_.front()->listen(std::move(*socket), Origin::local_socket);
    }
    return {};
}

void Server::Impl::drain(std::chrono::milliseconds deadline) {
    if (!started_ || stopped_) {
        return;
    }
    for (const auto& thread : threads_) {
        thread->drain();
    }
    const auto is_closed = [this] { return service_.draining >= threads_.size(); };
    std::unique_lock lock{service_.drain_mutex};
    service_.drained.wait_for(lock, close_within, is_closed);
    service_.drained.wait_for(lock, deadline, [&] { return is_closed() && service_.open == 0; });
}

void Server::Impl::stop() {
    if (!started_ || stopped_) {
        return;
    }
    stopped_ = true;
    for (const auto& thread : threads_) {
        thread->stop();
    }
    for (const auto& thread : threads_) {
        thread->join();
    }
    local_socket_ = {};
}

Counts Server::Impl::counts() const noexcept {
    Counts total;
    for (const auto& thread : threads_) {
        const Counts counts = thread->counts();
        total.connections_open += counts.connections_open;
        total.connections_total += counts.connections_total;
        total.requests_total += counts.requests_total;
        total.refused_total += counts.refused_total;
        total.shed_total += counts.shed_total;
        total.hung_up_total += counts.hung_up_total;
        total.anonymous_bytes += counts.anonymous_bytes;
        total.caller_bytes += counts.caller_bytes;
    }
    return total;
}

std::vector<PathAnswers> Server::Impl::answers() const {
    std::map<std::string, PathAnswers> rows;
    const auto add = [&](const std::string& path, std::size_t number) {
        auto& row = rows[path];
        row.path = path;
        for (const auto& thread : threads_) {
            const auto more = thread->answers(number);
            for (std::size_t i = 0; i < more.size(); ++i) {
                row.by_class[i] += more[i];
            }
        }
    };
    std::size_t number = 0;
    add("", number++);
    for (const auto* router : {&service_.router, &service_.local_router}) {
        for (const auto& path : router->paths()) {
            add(path, number++);
        }
    }
    std::vector<PathAnswers> all;
    all.reserve(rows.size());
    for (auto& [path, row] : rows) {
        all.push_back(std::move(row));
    }
    return all;
}

Server::Server(const Clock& clock, Random& random, Options options, const Router& router,
               const Router& local_router, RefusalBody refusal, telemetry::Log log)
    : impl_(std::make_unique<Impl>(clock, random, std::move(options), router, local_router,
                                   std::move(refusal), std::move(log))) {}

Server::~Server() {
    stop();
}

Result<void> Server::start() {
    return impl_->start();
}

std::vector<std::string> Server::addresses() const {
    return impl_->addresses();
}

void Server::drain(std::chrono::milliseconds deadline) {
    impl_->drain(deadline);
}

void Server::stop() {
    impl_->stop();
}

Counts Server::counts() const noexcept {
    return impl_->counts();
}

std::vector<PathAnswers> Server::answers() const {
    return impl_->answers();
}

}  // namespace merpati::http
