// The only door out: every HTTP request the gateway makes to addresses that callers chose.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/request.hpp"
#include "outbound/resolver.hpp"
#include "outbound/response.hpp"

namespace merpati::outbound {

struct ClientOptions {
    std::string ca_file;                 // Extra CA certificates, PEM; empty: system only.
    std::chrono::seconds pool_idle{30};  // A pooled connection older than this is closed.
    std::chrono::seconds pool_life{60};  // ... and so is one this old, idle or not.
    std::size_t pool_per_origin = 64;
    std::size_t pool_total = 1024;
};

using ResponseHandler = std::move_only_function<void(Result<Response>)>;

/// An HTTP/1.1 client that cannot be talked into private networks.
///
/// Operation: `send` resolves the name, refuses it if ANY of its addresses is not permitted, dials
/// an address that was judged (never the name), verifies TLS against the name, sends, reads the
/// answer within its caps, and keeps the connection for the next request to the same origin. A
/// pooled connection's address is judged again before it is used. Redirects are answers like any
/// other, nothing is followed, nothing is decompressed, proxies of the environment are ignored.
/// A request on a pooled connection that the server had closed meanwhile is repeated once on a new
/// one (nothing of an answer had arrived).
///
/// Of a name's addresses the first that can be connected to is used (ConnectRace); a failure of TLS
/// ends the request.
///
/// Limits: ClientOptions. Connections in use, in all and at each origin, and the 4,096 places to
/// wait for one are divided among accounts (Shares): one that uses many leaves room for others. Who
/// waits is served round-robin, accounts first and then their origins, and leaves at its deadline.
/// When all connections are open, the origin with the most idle ones gives up one.
///
/// Errors: refused (address not permitted; body over its cap), unreachable, timeout, protocol, busy
/// (too many requests wait).
/// The detail of `refused` and `unreachable` names no address: callers may see it.
///
/// Threads: all calls and handlers on the executor's one thread. Memory: at most 64 KiB a transfer.
class Client {
public:
    Client(const Clock& clock, boost::asio::any_io_executor executor, const AddressPolicy& policy,
           Resolver& resolver, ClientOptions options);
    ~Client();

    /// Errors at once: io_failed when ca_file cannot be read (checked by the constructor's caller
    /// through `ready`).
    [[nodiscard]] Result<void> ready() const;

    void send(Request request, ResponseHandler done);

    /// Fails everything under way with shutting_down and closes the pool.
    void close();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
