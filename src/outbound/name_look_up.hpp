// One look-up of one name, with c-ares.
#pragma once

#include <ares.h>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "outbound/resolver.hpp"

namespace merpati::outbound {

struct NameServerOptions {
    std::string servers;  // "192.0.2.1:53,[2001:db8::1]:53"; empty: those of /etc/resolv.conf.
    std::chrono::milliseconds timeout{2'000};  // Of one server, first round; doubled in each round.
    int rounds = 3;                            // Over all servers.
};

/// Asks for IPv4 and IPv6 addresses, through c-ares: /etc/hosts first, then the name servers over
/// UDP, and over TCP where an answer was cut.
///
/// Operation: `start` once, `tick` about ten times a second; destroy it to cancel. Each look-up has
/// a c-ares channel of its own, because a channel cancels all of its queries or none, reads
/// /etc/resolv.conf only once, and keeps its source port.
///
/// A and AAAA are two queries, sent together. Once A has returned addresses, AAAA has 50 ms more
/// (the resolution delay of RFC 8305, section 3); once AAAA has, A has 1 s more, because IPv6
/// addresses alone are of no use to a machine without IPv6. If either query says that the name does
/// not exist, it does not. Addresses are in the order of arrival.
///
/// Threads: the executor's one; none waits for a server.
class NameLookUp : public std::enable_shared_from_this<NameLookUp> {
public:
    NameLookUp(boost::asio::any_io_executor executor, const NameServerOptions& options);
    ~NameLookUp();
    NameLookUp(const NameLookUp&) = delete;
    NameLookUp& operator=(const NameLookUp&) = delete;

    /// Calls `done` once, after `start` has returned. Errors: unreachable, timeout (no server
    /// answered).
    void start(const std::string& host, Resolver::Done done);

    /// Repeats queries that were not answered in time.
    void tick();

private:
    struct Watched;

    static void on_socket(void* self, ares_socket_t socket, int reads, int writes);
    static void on_hosts_file(void* self, int status, int timeouts, ares_addrinfo* found);
    static void on_v4(void* self, int status, int timeouts, ares_addrinfo* found);
    static void on_v6(void* self, int status, int timeouts, ares_addrinfo* found);

    [[nodiscard]] bool open_channel(const char* lookups);
    void query_servers(const std::string& host);
    void answered(int status, ares_addrinfo* found, std::chrono::milliseconds delay_of_other);
    void set_result();
    void watch(const std::shared_ptr<Watched>& watched, bool writing);
    void process(ares_socket_t readable, ares_socket_t writable);
    void report();

    boost::asio::any_io_executor executor_;
    const NameServerOptions options_;
    ares_channel channel_ = nullptr;
    std::unordered_map<ares_socket_t, std::shared_ptr<Watched>> watched_;
    boost::asio::steady_timer delay_;  // Until the query that is still open is given up.
    Resolver::Done done_;
    int open_queries_ = 0;
    bool timed_out_ = false;  // At least one of them.
    Addresses found_;
    std::optional<Result<Addresses>> result_;
};

}  // namespace merpati::outbound
