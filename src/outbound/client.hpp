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
    std::chrono::seconds pool_idle{30};  // An idle connection is closed after this time,
    std::chrono::seconds pool_life{60};  // and none is used again that is older than this.
    std::size_t pool_total = 1024;       // Connections in all, in use and idle.
};

using ResponseHandler = std::move_only_function<void(Result<Response>)>;

/// An HTTP/1.1 client that does not connect to private addresses, whatever URL it is given.
///
/// Operation: `send` resolves the name, refuses it if ANY of its addresses is not permitted, dials
/// an address that was checked (never the name), verifies the TLS certificate against the name,
/// sends, reads the response within its limits, and keeps the connection for the next request to
/// the same origin. A pooled connection's address is checked again before it is used. Redirects are
/// responses like any other and are not followed, nothing is decompressed, and the environment's
/// proxy settings are ignored. If the server closes a pooled connection before it answers anything,
/// the request is repeated once on a new connection.
///
/// Of a name's addresses the first that accepts the connection is used (ConnectRace); a failure of
/// TLS ends the request.
///
/// Limits: ClientOptions. When `pool_total` connections are open, the origin with the most idle
/// ones loses one; when all of them are in use, the request fails with `busy`. Nothing waits for a
/// connection: callers divide what may be in flight among accounts and hosts (callback::SenderCore,
/// media::HostLimiter), and set `pool_total` above their own limits. Memory: at most 64 KiB a
/// request.
///
/// Errors: refused (address not permitted; body over its limit), unreachable, timeout, protocol,
/// busy, shutting_down (after `close`). The detail of `refused` and `unreachable` names no address:
/// callers may see it.
///
/// Threads: all calls and handlers on the executor's one thread.
class Client {
public:
    Client(const Clock& clock, boost::asio::any_io_executor executor, const AddressPolicy& policy,
           Resolver& resolver, ClientOptions options);
    ~Client();

    /// Whether the options can be used; to be asked once, after construction.
    /// Errors: io_failed (`ca_file` cannot be read).
    [[nodiscard]] Result<void> ready() const;

    /// Calls `done` once: later, or before it returns if the request fails at once.
    void send(Request request, ResponseHandler done);

    /// Fails all requests in flight with shutting_down and closes the pool.
    void close();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
