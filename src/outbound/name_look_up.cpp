#include "outbound/name_look_up.hpp"

#include <netinet/in.h>
#include <utility>

#include <boost/asio/post.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;

constexpr std::chrono::milliseconds v6_delay_max{50};
constexpr std::chrono::milliseconds v4_delay_max{1'000};

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

void append(Addresses& addresses, const ares_addrinfo* found) {
    const auto* node = found == nullptr ? nullptr : found->nodes;
    for (; node != nullptr; node = node->ai_next) {
        if (node->ai_family == AF_INET || node->ai_family == AF_INET6) {
            addresses.push_back(address_of(*node->ai_addr));
        }
    }
}

ares_addrinfo_hints hints_for(int family) {
    ares_addrinfo_hints hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = ARES_AI_NOSORT;  // ConnectRace orders them.
    return hints;
}

}  // namespace

/// A socket of the channel. The channel opens and closes it.
struct NameLookUp::Watched {
    Watched(const asio::any_io_executor& executor, ares_socket_t handle)
        : socket(handle), descriptor(executor) {
        boost::system::error_code failed;  // If so, the query gets no answer and times out.
        descriptor.assign(handle, failed);
    }
    ~Watched() { close(); }

    void close() {
        wanted[0] = wanted[1] = false;
        if (descriptor.is_open()) {
            descriptor.release();  // Before c-ares closes the socket.
        }
    }

    ares_socket_t socket;
    asio::posix::stream_descriptor descriptor;
    // For reading, then for writing: whether c-ares asked to be told when the socket is ready, and
    // whether a wait is in flight.
    bool wanted[2] = {false, false};
    bool waiting[2] = {false, false};
};

NameLookUp::NameLookUp(asio::any_io_executor executor, const NameServerOptions& options)
    : executor_(std::move(executor)), options_(options), delay_(executor_) {}

NameLookUp::~NameLookUp() {
    if (channel_ != nullptr) {
        ares_destroy(channel_);  // Calls on_v4, on_v6 and on_socket once more.
    }
}

bool NameLookUp::open_channel(const char* lookups) {
    static const int library = ares_library_init(ARES_LIB_INIT_ALL);
    if (channel_ != nullptr) {
        ares_destroy(std::exchange(channel_, nullptr));
    }
    std::string sources{lookups};
    ares_options wanted{};
    wanted.timeout = static_cast<int>(options_.timeout.count());
    wanted.tries = options_.rounds;
    wanted.lookups = sources.data();
    wanted.sock_state_cb = &NameLookUp::on_socket;
    wanted.sock_state_cb_data = this;
    // No search domains: a caller's name is looked up as it is, whatever resolv.conf completes.
    wanted.ndomains = 0;
    const int given = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS |
                      ARES_OPT_SOCK_STATE_CB | ARES_OPT_DOMAINS;
    if (library != ARES_SUCCESS || ares_init_options(&channel_, &wanted, given) != ARES_SUCCESS) {
        channel_ = nullptr;
    } else if (!options_.servers.empty() &&
               ares_set_servers_ports_csv(channel_, options_.servers.c_str()) != ARES_SUCCESS) {
        ares_destroy(std::exchange(channel_, nullptr));
    }
    return channel_ != nullptr;
}

void NameLookUp::start(const std::string& host, Resolver::Done done) {
    done_ = std::move(done);
    // Both families are looked up in the file together, because a name with any address there is
    // not looked up elsewhere.
    if (open_channel("f")) {
        const auto hints = hints_for(AF_UNSPEC);
        ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &NameLookUp::on_hosts_file, this);
    }
    if (!result_) {
        query_servers(host);
    }
    if (result_) {  // From the file, or an error.
        asio::post(executor_, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->report();
            }
        });
    }
}

void NameLookUp::query_servers(const std::string& host) {
    if (!open_channel("b")) {
        result_ = fail(ErrorCode::unreachable, "c-ares could not be set up");
        return;
    }
    open_queries_ = 2;
    const auto v4 = hints_for(AF_INET);
    ares_getaddrinfo(channel_, host.c_str(), nullptr, &v4, &NameLookUp::on_v4, this);
    const auto v6 = hints_for(AF_INET6);
    ares_getaddrinfo(channel_, host.c_str(), nullptr, &v6, &NameLookUp::on_v6, this);
}

void NameLookUp::tick() {
    process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

void NameLookUp::on_socket(void* self, ares_socket_t socket, int reads, int writes) {
    auto& look_up = *static_cast<NameLookUp*>(self);
    const auto found = look_up.watched_.find(socket);
    if (reads == 0 && writes == 0) {
        if (found != look_up.watched_.end()) {
            found->second->close();
            look_up.watched_.erase(found);
        }
        return;
    }
    auto watched = found != look_up.watched_.end() ? found->second : nullptr;
    if (watched == nullptr) {
        watched = std::make_shared<Watched>(look_up.executor_, socket);
        look_up.watched_.emplace(socket, watched);
    }
    watched->wanted[0] = reads != 0;
    watched->wanted[1] = writes != 0;
    look_up.watch(watched, false);
    look_up.watch(watched, true);
}

void NameLookUp::on_hosts_file(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
    auto& look_up = *static_cast<NameLookUp*>(self);
    append(look_up.found_, found);
    ares_freeaddrinfo(found);
    if (status == ARES_SUCCESS && !look_up.found_.empty()) {
        look_up.set_result();
    }
}

void NameLookUp::on_v4(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
    static_cast<NameLookUp*>(self)->answered(status, found, v6_delay_max);
}

void NameLookUp::on_v6(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
    static_cast<NameLookUp*>(self)->answered(status, found, v4_delay_max);
}

void NameLookUp::answered(int status, ares_addrinfo* found,
                          std::chrono::milliseconds delay_of_other) {
    --open_queries_;
    timed_out_ = timed_out_ || status == ARES_ETIMEOUT;
    append(found_, found);
    ares_freeaddrinfo(found);
    if (open_queries_ == 0 || status == ARES_ENOTFOUND) {
        set_result();
    } else if (!found_.empty()) {
        delay_.expires_after(delay_of_other);
        delay_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
            const auto self = weak.lock();
            if (self != nullptr && !error) {
                self->set_result();
                self->report();
            }
        });
    }
}

void NameLookUp::set_result() {
    if (!found_.empty()) {
        result_ = found_;
    } else if (timed_out_) {
        result_ = fail(ErrorCode::timeout, "no name server answered");
    } else {
        result_ = fail(ErrorCode::unreachable, "the name cannot be resolved");
    }
}

void NameLookUp::watch(const std::shared_ptr<Watched>& watched, bool writing) {
    if (!watched->wanted[writing] || !watched->descriptor.is_open() ||
        std::exchange(watched->waiting[writing], true)) {
        return;
    }
    const auto kind = writing ? asio::posix::stream_descriptor::wait_write
                              : asio::posix::stream_descriptor::wait_read;
    watched->descriptor.async_wait(
        kind, [weak = weak_from_this(), watched, writing](const boost::system::error_code& error) {
            watched->waiting[writing] = false;
            const auto self = weak.lock();
            if (self == nullptr || error || !watched->wanted[writing]) {
                return;
            }
            self->process(writing ? ARES_SOCKET_BAD : watched->socket,
                          writing ? watched->socket : ARES_SOCKET_BAD);
            self->watch(watched, writing);
        });
}

/// c-ares calls the callbacks while it processes. The result is reported after c-ares has returned,
/// because the handler may destroy the channel.
void NameLookUp::process(ares_socket_t readable, ares_socket_t writable) {
    if (channel_ != nullptr) {
        ares_process_fd(channel_, readable, writable);
    }
    report();
}

void NameLookUp::report() {
    if (result_ && done_) {
        const auto self = shared_from_this();  // The handler may drop its last reference.
        std::exchange(done_, nullptr)(std::move(*result_));
    }
}

}  // namespace merpati::outbound
