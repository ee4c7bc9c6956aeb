// One name asked of the name servers.
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
    std::chrono::milliseconds wait{2'000};  // For one server's first answer; doubled in each round.
    int rounds = 3;                         // Over all servers.
};

/// Asks for IPv4 and IPv6 addresses, through c-ares: /etc/hosts first, then the name servers over
/// UDP, and over TCP where an answer was cut.
///
/// Operation: `start` once, `tick` about ten times a second; destroy it to cancel. Each look-up has
/// a c-ares channel of its own, because a channel cancels all of its queries or none, reads
/// /etc/resolv.conf once, and keeps its source port.
///
/// A and AAAA are two queries, sent together. When A brought addresses, AAAA has 50 ms more (the
/// resolution delay of RFC 8305, section 3); when AAAA did, A has 1 s, because IPv6 addresses alone
/// are of no use to a machine without IPv6. A name that one of them says does not exist does not.
/// Addresses stand in the order in which they came.
///
/// Threads: the executor's one. No thread waits for a server.
class NameLookUp : public std::enable_shared_from_this<NameLookUp> {
public:
    NameLookUp(boost::asio::any_io_executor executor, const NameServerOptions& options);
    ~NameLookUp();
    NameLookUp(const NameLookUp&) = delete;
    NameLookUp& operator=(const NameLookUp&) = delete;

    /// Calls `done` once, later. Errors: unreachable, timeout (no server answered).
    void start(const std::string& host, Resolver::Done done);

    /// Repeats questions that were not answered in time.
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
    void conclude();
    void watch(const std::shared_ptr<Watched>& watched, bool writing);
    void process(ares_socket_t readable, ares_socket_t writable);
    void settle();

    boost::asio::any_io_executor executor_;
    const NameServerOptions options_;
    ares_channel channel_ = nullptr;
    std::unordered_map<ares_socket_t, std::shared_ptr<Watched>> watched_;
    boost::asio::steady_timer delay_;  // Of the query that is still open.
    Resolver::Done done_;
    int open_queries_ = 0;
    bool timed_out_ = false;  // One of them.
    Addresses found_;
    std::optional<Result<Addresses>> answer_;
};

}  // namespace merpati::outbound
