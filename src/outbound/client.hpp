// The HTTP client for all requests to addresses that callers chose.
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
    std::size_t pool_total = 1024;       // Connections in use and idle, together.
};

using ResponseHandler = std::move_only_function<void(Result<Response>)>;

/// An HTTP/1.1 client that does not connect to private addresses, whatever URL it is given.
///
/// Operation: `send` resolves the name, refuses it if ANY of its addresses is not permitted, dials
/// a checked address (never the name), verifies the TLS certificate against the name, sends, reads
/// the response within its limits, and keeps the connection for the next request to the same
/// origin. A pooled connection's address is checked again before it is used. Redirects are not
/// followed, nothing is decompressed, and the environment's proxy settings are ignored. If the
/// server closes a pooled connection before the first byte of a response, the request is sent once
/// more, on a new connection, unless it is not `repeatable`. A pooled connection that the server
/// has closed already is not used.
///
/// The first of a name's addresses that accepts is used (ConnectRace). If TLS fails there, the
/// request fails.
///
/// Limits: ClientOptions, and those of each Request. When `pool_total` connections are open, the
/// origin with the most idle connections loses one; when all are in use, the request fails with
/// `busy`. Nothing waits for a connection: callers divide the requests in flight among accounts and
/// hosts (callback::SenderCore, media::HostLimiter), and set `pool_total` above their own limits.
/// Memory of a request: its own bytes twice (64 KiB of a file), a read buffer of 16 KiB, and the
/// response within its limits; TLS comes on top.
///
/// Errors: refused (address not permitted; body over its limit), unreachable, timeout, protocol,
/// busy, shutting_down (after `close`). The detail of `refused` and `unreachable` names no address,
/// because callers may see it.
///
/// Threads: all calls and handlers on the executor's one thread.
class Client {
public:
    Client(const Clock& clock, boost::asio::any_io_executor executor, const AddressPolicy& policy,
           Resolver& resolver, ClientOptions options);
    ~Client();

    /// Whether the options can be used. Call it after construction. Errors: io_failed (`ca_file`
    /// cannot be read).
    [[nodiscard]] Result<void> ready() const;

    /// Calls `done` once, later, or before `send` returns if the request fails at once.
    void send(Request request, ResponseHandler done);

    /// Fails all requests in flight with shutting_down and closes the pool.
    void close();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace merpati::outbound
