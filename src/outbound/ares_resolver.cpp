#include "outbound/ares_resolver.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "outbound/fair_queue.hpp"
#include "outbound/shares.hpp"

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds tick_every{100};

}  // namespace

class AresResolver::Impl : public std::enable_shared_from_this<AresResolver::Impl> {
public:
    Impl(asio::any_io_executor executor, ResolverOptions options)
        : executor_(std::move(executor)),
          options_(std::move(options)),
          timer_(executor_),
          shares_(options_.look_ups_max) {}

    Ticket resolve(const std::string& host, std::int64_t account, Done done);
    void cancel(Ticket ticket);

private:
    struct Waiting {
        std::int64_t account;
        std::string host;
    };
    struct Name {
        std::vector<Ticket> tickets;
        std::shared_ptr<NameLookUp> look_up;  // Null: it waits for its turn,
        FairQueue<Waiting>::Place place;      // here.
        std::int64_t account = 0;             // Whose share the look-up is out of.
    };
    struct Asked {
        std::string host;
        Done done;
    };

    void begin(const std::string& host, Name& name, std::int64_t account);
    void begin_waiting();
    void finish(const std::string& host, const NameLookUp* look_up,
                const Result<Addresses>& addresses);
    void arm();
    void tick();

    asio::any_io_executor executor_;
    const ResolverOptions options_;
    asio::steady_timer timer_;
    bool armed_ = false;
    Shares shares_;
    FairQueue<Waiting> waiting_;
    std::unordered_map<std::string, Name> names_;
    std::unordered_map<Ticket, Asked> asked_;
    Ticket last_ticket_ = 0;
};

Resolver::Ticket AresResolver::Impl::resolve(const std::string& host, std::int64_t account,
                                             Done done) {
    const auto ticket = ++last_ticket_;
    if (asked_.size() >= options_.waiting_max) {
        asio::post(executor_, [done = std::move(done)]() mutable {
            done(fail(ErrorCode::busy, "too many names wait to be resolved"));
        });
        return ticket;
    }
    asked_.emplace(ticket, Asked{.host = host, .done = std::move(done)});
    auto& name = names_[host];
    const bool waits = !name.tickets.empty() && name.look_up == nullptr;
    name.tickets.push_back(ticket);
    if (name.look_up != nullptr) {
        return ticket;
    }
    if (shares_.may_take(account)) {
        if (waits) {
            waiting_.remove(name.place);
        }
        begin(host, name, account);
    } else if (!waits) {
        name.place = waiting_.push(account, host, {.account = account, .host = host});
    }
    return ticket;
}

void AresResolver::Impl::cancel(Ticket ticket) {
    const auto found = asked_.find(ticket);
    if (found == asked_.end()) {
        return;
    }
    const auto host = std::move(found->second.host);
    asked_.erase(found);
    const auto name = names_.find(host);
    if (name == names_.end() || std::erase(name->second.tickets, ticket) == 0 ||
        !name->second.tickets.empty()) {
        return;
    }
    if (name->second.look_up != nullptr) {
        shares_.give_back(name->second.account);
    } else {
        waiting_.remove(name->second.place);
    }
    names_.erase(name);
    begin_waiting();
}

void AresResolver::Impl::begin(const std::string& host, Name& name, std::int64_t account) {
    shares_.take(account);
    name.account = account;
    name.look_up = std::make_shared<NameLookUp>(executor_, options_.servers);
    name.look_up->start(host, [weak = weak_from_this(), host,
                               look_up = name.look_up.get()](const Result<Addresses>& addresses) {
        if (const auto self = weak.lock()) {
            self->finish(host, look_up, addresses);
        }
    });
    arm();
}

void AresResolver::Impl::begin_waiting() {
    const auto may_take = [this](std::int64_t account) { return shares_.may_take(account); };
    while (const auto next = waiting_.take(may_take)) {
        begin(next->host, names_.at(next->host), next->account);
    }
}

/// Who is told may ask or cancel: the name has left by then.
void AresResolver::Impl::finish(const std::string& host, const NameLookUp* look_up,
                                const Result<Addresses>& addresses) {
    const auto found = names_.find(host);
    if (found == names_.end() || found->second.look_up.get() != look_up) {
        return;  // Cancelled, and perhaps asked for anew.
    }
    const auto node = names_.extract(found);
    const auto& name = node.mapped();
    shares_.give_back(name.account);
    begin_waiting();
    for (const auto ticket : name.tickets) {
        if (const auto asked = asked_.extract(ticket); !asked.empty()) {
            asked.mapped().done(addresses);
        }
    }
}

void AresResolver::Impl::arm() {
    if (std::exchange(armed_, true)) {
        return;
    }
    timer_.expires_after(tick_every);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->armed_ = false;
            self->tick();
        }
    });
}

void AresResolver::Impl::tick() {
    std::vector<std::shared_ptr<NameLookUp>> under_way;
    for (const auto& [host, name] : names_) {
        if (name.look_up != nullptr) {
            under_way.push_back(name.look_up);
        }
    }
    for (const auto& look_up : under_way) {
        look_up->tick();
    }
    if (!names_.empty()) {
        arm();
    }
}

AresResolver::AresResolver(asio::any_io_executor executor, ResolverOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options))) {}

AresResolver::~AresResolver() = default;

Resolver::Ticket AresResolver::resolve(const std::string& host, std::int64_t account, Done done) {
    return impl_->resolve(host, account, std::move(done));
}

void AresResolver::cancel(Ticket ticket) {
    impl_->cancel(ticket);
}

}  // namespace merpati::outbound
