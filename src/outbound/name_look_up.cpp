#include "outbound/name_look_up.hpp"

#include <netinet/in.h>
#include <utility>

#include <boost/asio/post.hpp>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;

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

Result<Addresses> outcome_of(int status, const ares_addrinfo* found) {
    if (status == ARES_ETIMEOUT) {
        return fail(ErrorCode::timeout, "no name server answered");
    }
    if (status != ARES_SUCCESS || found == nullptr) {
        return fail(ErrorCode::unreachable, "the name cannot be resolved");
    }
    Addresses addresses;
    for (const auto* one = found->nodes; one != nullptr; one = one->ai_next) {
        if (one->ai_family == AF_INET || one->ai_family == AF_INET6) {
            addresses.push_back(address_of(*one->ai_addr));
        }
    }
    if (addresses.empty()) {
        return fail(ErrorCode::unreachable, "the name has no address");
    }
    return addresses;
}

}  // namespace

/// A socket of the channel, which opens and closes it.
struct NameLookUp::Watched {
    Watched(const asio::any_io_executor& executor, ares_socket_t handle)
        : socket(handle), descriptor(executor) {
        boost::system::error_code failed;  // Then the question is repeated, and ends as unanswered.
        descriptor.assign(handle, failed);
    }
    ~Watched() { close(); }

    void close() {
        wanted[0] = wanted[1] = false;
        if (descriptor.is_open()) {
            descriptor.release();  // While it is open: c-ares closes it afterwards.
        }
    }

    ares_socket_t socket;
    asio::posix::stream_descriptor descriptor;
    bool wanted[2] = {false, false};  // To be told when it can be read, written,
    bool waits[2] = {false, false};   // and being waited for.
};

NameLookUp::NameLookUp(asio::any_io_executor executor, const NameServerOptions& options)
    : executor_(std::move(executor)) {
    static const int library = ares_library_init(ARES_LIB_INIT_ALL);
    if (library != ARES_SUCCESS) {
        return;
    }
    char lookups[] = "fb";  // The file /etc/hosts, then the servers.
    ares_options wanted{};
    wanted.timeout = static_cast<int>(options.wait.count());
    wanted.tries = options.rounds;
    wanted.lookups = lookups;
    wanted.sock_state_cb = &NameLookUp::on_socket;
    wanted.sock_state_cb_data = this;
    const int given =
        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
    if (ares_init_options(&channel_, &wanted, given) != ARES_SUCCESS) {
        channel_ = nullptr;
    } else if (!options.servers.empty() &&
               ares_set_servers_ports_csv(channel_, options.servers.c_str()) != ARES_SUCCESS) {
        ares_destroy(std::exchange(channel_, nullptr));
    }
}

NameLookUp::~NameLookUp() {
    if (channel_ != nullptr) {
        ares_destroy(channel_);  // Calls on_answer and on_socket once more.
    }
}

void NameLookUp::start(const std::string& host, Resolver::Done done) {
    done_ = std::move(done);
    if (channel_ == nullptr) {
        answer_ = fail(ErrorCode::unreachable, "c-ares could not be set up");
    } else {
        ares_addrinfo_hints hints{};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = ARES_AI_NOSORT;  // ConnectRace tries them side by side.
        ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &NameLookUp::on_answer, this);
    }
    if (answer_) {  // Out of the file, or refused.
        asio::post(executor_, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->settle();
            }
        });
    }
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

void NameLookUp::on_answer(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
    static_cast<NameLookUp*>(self)->answer_ = outcome_of(status, found);
    ares_freeaddrinfo(found);
}

void NameLookUp::watch(const std::shared_ptr<Watched>& watched, bool writing) {
    if (!watched->wanted[writing] || !watched->descriptor.is_open() ||
        std::exchange(watched->waits[writing], true)) {
        return;
    }
    const auto kind = writing ? asio::posix::stream_descriptor::wait_write
                              : asio::posix::stream_descriptor::wait_read;
    watched->descriptor.async_wait(
        kind, [weak = weak_from_this(), watched, writing](const boost::system::error_code& error) {
            watched->waits[writing] = false;
            const auto self = weak.lock();
            if (self == nullptr || error || !watched->wanted[writing]) {
                return;
            }
            self->process(writing ? ARES_SOCKET_BAD : watched->socket,
                          writing ? watched->socket : ARES_SOCKET_BAD);
            self->watch(watched, writing);
        });
}

/// c-ares calls back from within; what it said is passed on when it has returned, because whoever
/// hears it may destroy the channel.
void NameLookUp::process(ares_socket_t readable, ares_socket_t writable) {
    if (channel_ != nullptr) {
        ares_process_fd(channel_, readable, writable);
    }
    settle();
}

void NameLookUp::settle() {
    if (answer_ && done_) {
        const auto held = shared_from_this();
        std::exchange(done_, nullptr)(std::move(*answer_));
    }
}

}  // namespace merpati::outbound
