// The only door out: every HTTP request the gateway makes to addresses that callers chose.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/resolver.hpp"
#include "outbound/url.hpp"

namespace merpati::outbound {

struct ClientOptions {
    std::string ca_file;                 // Extra CA certificates, PEM; empty: system only.
    std::chrono::seconds pool_idle{30};  // A pooled connection older than this is closed.
    std::chrono::seconds pool_life{60};  // ... and so is one this old, idle or not.
    std::size_t pool_per_origin = 64;
    std::size_t pool_total = 1024;
};

struct Response;

struct Request {
    std::string method;  // "POST", "GET", "HEAD"
    Url url;
    std::string headers;  // Lines "Name: value\r\n"; Host, Content-Length and User-Agent are ours.
    std::string body;
    std::chrono::milliseconds timeout{10'000};  // Everything: resolve, connect, TLS, answer.
    /// Until the first byte of the answer, counted as `timeout` is; 0: no limit of its own.
    std::chrono::milliseconds first_byte_timeout{0};
    /// Bytes a second: an answer that brings less, over five seconds, ends with `timeout`. 0: none.
    std::uint32_t rate_min = 0;
    std::size_t header_bytes_max = std::size_t{16} << 10;
    std::size_t body_bytes_max = std::size_t{16} << 10;  // See `truncate`.
    bool truncate = true;  // At the cap: true ends the body there and drops the connection,
                           // false fails with ErrorCode::refused.
    /// The status is all that counts: an answer whose head has come is waited for one second more,
    /// and is no failure whatever becomes of its body.
    bool head_suffices = false;
    /// Called with status and headers of the final answer before its body comes. Returning false
    /// ends the transfer there, successfully.
    std::function<bool(const Response&)> on_head;
    /// Called with each piece of the body as it arrives, instead of collecting it in Response::body
    /// (for files). Returning false ends the transfer.
    std::function<bool(std::span<const std::byte>)> on_body;
};

struct Response {
    std::uint16_t status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // Names in lower case.
    std::string body;  // At most body_bytes_max; empty with on_body.

    /// The first header of this (lower case) name, or empty.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
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
/// Limits: ClientOptions. A request beyond them waits, first come first served, within its timeout;
/// when all places are taken, the longest idle connection of another origin gives up its own.
///
/// Errors: refused (address not permitted; body over its cap), unreachable, timeout, protocol.
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
