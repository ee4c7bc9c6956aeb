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
    std::chrono::milliseconds timeout{2'000};  // Of one server in round one; doubled each round.
    int rounds = 3;                            // How often each server is asked.
};

/// Looks up IPv4 and IPv6 addresses with c-ares: in /etc/hosts first, then at the name servers over
/// UDP, and over TCP if an answer was truncated.
///
/// Operation: call `start` once and `tick` about ten times a second; destroy the object to cancel.
/// Each look-up has its own c-ares channel, because a channel cancels all of its queries or none,
/// reads /etc/resolv.conf only once, and keeps its source port.
///
/// A and AAAA are two queries, sent together. Once A has returned addresses, AAAA has 50 ms more
/// (the resolution delay of RFC 8305 section 3). Once AAAA has returned addresses, A has 1 s more,
/// because IPv6 addresses alone are of no use to a machine without IPv6. If one query returns that
/// the name does not exist, the other is not awaited. Addresses are in the order of arrival.
///
/// Threads: the executor's one, which never waits for a server.
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
    boost::asio::steady_timer delay_;  // Ends the wait for the query that is still open.
    Resolver::Done done_;
    int open_queries_ = 0;
    bool timed_out_ = false;  // A query timed out.
    Addresses found_;
    std::optional<Result<Addresses>> result_;
};

}  // namespace merpati::outbound
