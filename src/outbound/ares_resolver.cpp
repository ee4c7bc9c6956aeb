#include "outbound/ares_resolver.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/steady_timer.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds tick_every{100};

}  // namespace

class AresResolver::Impl : public std::enable_shared_from_this<AresResolver::Impl> {
public:
    Impl(asio::any_io_executor executor, NameServerOptions options)
        : executor_(std::move(executor)), options_(std::move(options)), timer_(executor_) {}

    Ticket resolve(const std::string& host, Done done);
    void cancel(Ticket ticket);

private:
    struct Name {
        std::vector<Ticket> tickets;  // The requests that share the look-up.
        std::shared_ptr<NameLookUp> look_up;
    };
    struct Pending {
        std::string host;
        Done done;
    };

    void look_up(const std::string& host, Name& name);
    void finish(const std::string& host, const NameLookUp* look_up,
                const Result<Addresses>& addresses);
    void arm_timer();
    void tick();

    asio::any_io_executor executor_;
    const NameServerOptions options_;
    asio::steady_timer timer_;
    bool timer_armed_ = false;
    std::unordered_map<std::string, Name> names_;
    std::unordered_map<Ticket, Pending> pending_;
    Ticket last_ticket_ = 0;
};

Resolver::Ticket AresResolver::Impl::resolve(const std::string& host, Done done) {
    const auto ticket = ++last_ticket_;
    pending_.emplace(ticket, Pending{.host = host, .done = std::move(done)});
    auto& name = names_[host];
    name.tickets.push_back(ticket);
    if (name.look_up == nullptr) {
        look_up(host, name);
    }
    return ticket;
}

void AresResolver::Impl::cancel(Ticket ticket) {
    const auto request = pending_.extract(ticket);
    if (request.empty()) {
        return;
    }
    const auto name = names_.find(request.mapped().host);
    if (name != names_.end() && std::erase(name->second.tickets, ticket) > 0 &&
        name->second.tickets.empty()) {
        names_.erase(name);
    }
}

void AresResolver::Impl::look_up(const std::string& host, Name& name) {
    name.look_up = std::make_shared<NameLookUp>(executor_, options_);
    name.look_up->start(host, [weak = weak_from_this(), host,
                               look_up = name.look_up.get()](const Result<Addresses>& addresses) {
        if (const auto self = weak.lock()) {
            self->finish(host, look_up, addresses);
        }
    });
    arm_timer();
}

/// Handlers may resolve the same name again or cancel other requests. Therefore the name is removed
/// before the first handler is called, and each request just before its own handler.
void AresResolver::Impl::finish(const std::string& host, const NameLookUp* look_up,
                                const Result<Addresses>& addresses) {
    const auto found = names_.find(host);
    if (found == names_.end() || found->second.look_up.get() != look_up) {
        return;  // This look-up was cancelled; another one of the name may have started.
    }
    const auto name = names_.extract(found);
    for (const auto ticket : name.mapped().tickets) {
        if (const auto request = pending_.extract(ticket); !request.empty()) {
            request.mapped().done(addresses);
        }
    }
}

void AresResolver::Impl::arm_timer() {
    if (std::exchange(timer_armed_, true)) {
        return;
    }
    timer_.expires_after(tick_every);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->timer_armed_ = false;
            self->tick();
        }
    });
}

/// Handlers change `names_`, so the look-ups are collected first.
void AresResolver::Impl::tick() {
    std::vector<std::shared_ptr<NameLookUp>> look_ups;
    for (const auto& [host, name] : names_) {
        look_ups.push_back(name.look_up);
    }
    for (const auto& look_up : look_ups) {
        look_up->tick();
    }
    if (!names_.empty()) {
        arm_timer();
    }
}

AresResolver::AresResolver(asio::any_io_executor executor, NameServerOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options))) {}

AresResolver::~AresResolver() = default;

Resolver::Ticket AresResolver::resolve(const std::string& host, Done done) {
    return impl_->resolve(host, std::move(done));
}

void AresResolver::cancel(Ticket ticket) {
    impl_->cancel(ticket);
}

}  // namespace merpati::outbound
