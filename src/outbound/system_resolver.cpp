#include "outbound/system_resolver.hpp"

#include <atomic>
#include <netdb.h>
#include <netinet/in.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;

constexpr std::size_t thread_count = 4;
constexpr std::chrono::seconds answer_within{5};

ip::address address_of(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        return ip::address_v4{ntohl(v4.sin_addr.s_addr)};
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ip::address_v6::bytes_type bytes;
    std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), bytes.begin());
    return ip::address_v6{bytes, v6.sin6_scope_id};
}

Result<Addresses> look_up(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) {
        return fail(ErrorCode::unreachable, "the name cannot be resolved");
    }
    Addresses addresses;
    for (const auto* one = found; one != nullptr; one = one->ai_next) {
        if (one->ai_family == AF_INET || one->ai_family == AF_INET6) {
            addresses.push_back(address_of(*one->ai_addr));
        }
    }
    ::freeaddrinfo(found);
    if (addresses.empty()) {
        return fail(ErrorCode::unreachable, "the name has no address");
    }
    return addresses;
}

}  // namespace

class SystemResolver::Impl {
public:
    asio::thread_pool threads{thread_count};
    std::atomic<std::size_t> waiting{0};
};

SystemResolver::SystemResolver() : impl_(std::make_shared<Impl>()) {}

SystemResolver::~SystemResolver() {
    impl_->threads.stop();
    impl_->threads.join();
}

void SystemResolver::resolve(std::string host, asio::any_io_executor executor,
                             std::function<void(Result<Addresses>)> done) {
    if (impl_->waiting >= queue_max) {
        asio::post(executor, [done = std::move(done)] {
            done(fail(ErrorCode::unreachable, "too many names wait to be resolved"));
        });
        return;
    }
    ++impl_->waiting;
    // Whoever comes first, answer or timer, calls `done`; both run on the executor's thread.
    struct Race {
        asio::steady_timer timer;
        std::function<void(Result<Addresses>)> done;
    };
    auto race = std::make_shared<Race>(asio::steady_timer{executor}, std::move(done));
    race->timer.expires_after(answer_within);
    race->timer.async_wait([race](const boost::system::error_code& error) {
        if (!error && race->done) {
            std::exchange(race->done,
                          nullptr)(fail(ErrorCode::timeout, "the name was not resolved in time"));
        }
    });
    asio::post(impl_->threads, [impl = impl_.get(), host = std::move(host), executor, race] {
        auto addresses = look_up(host);
        --impl->waiting;
        asio::post(executor, [race, addresses = std::move(addresses)]() mutable {
            race->timer.cancel();
            if (race->done) {
                std::exchange(race->done, nullptr)(std::move(addresses));
            }
        });
    });
}

}  // namespace merpati::outbound
