// The connections of one client, by origin.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/client.hpp"
#include "outbound/connection.hpp"

namespace merpati::outbound {

/// Counts open connections against `pool_per_origin` and `pool_total`, and keeps idle ones until
/// they are `pool_idle` unused or `pool_life` old.
///
/// Operation: `take_idle`, or else `reserve` and open one; both are given back by `release`.
///
/// Threads: the client's one.
class ConnectionPool {
public:
    ConnectionPool(const Clock& clock, const AddressPolicy& policy, const ClientOptions& options)
        : clock_(clock), policy_(policy), options_(options) {}

    /// An idle connection of the origin, its address judged again; null when there is none.
    [[nodiscard]] std::shared_ptr<Connection> take_idle(const std::string& origin);

    enum class Place : std::uint8_t { given, origin_full, all_full };
    /// A place for a connection to be opened. When all are taken, the longest idle connection of
    /// another origin gives up its own.
    [[nodiscard]] Place reserve(const std::string& origin);

    /// Gives a place back: `connection` null: it was never opened; `keep`: it stays, idle.
    void release(const std::string& origin, std::shared_ptr<Connection> connection, bool keep);

    /// Closes the origin's idle connections: its server has closed one of them.
    void close_idle(const std::string& origin);

    /// The last TLS session with the origin, to shorten the next handshake; may be null.
    [[nodiscard]] SSL_SESSION* session(const std::string& origin);
    /// Takes ownership.
    void keep_session(const std::string& origin, SSL_SESSION* session);

    /// Closes what is too old, forgets origins without connections.
    void sweep();
    void close_all();

    [[nodiscard]] bool empty() const noexcept { return origins_.empty(); }

private:
    struct FreeSession {
        void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
    };
    struct Origin {
        std::vector<std::shared_ptr<Connection>> idle;  // The longest idle one first.
        std::size_t open = 0;                           // Idle, in use, or about to be opened.
        std::unique_ptr<SSL_SESSION, FreeSession> session;
    };

    [[nodiscard]] bool is_fresh(const Connection& connection) const;
    void drop(Origin& origin, const std::shared_ptr<Connection>& connection);
    [[nodiscard]] bool drop_longest_idle();

    const Clock& clock_;
    const AddressPolicy& policy_;
    const ClientOptions& options_;
    std::unordered_map<std::string, Origin> origins_;
    std::size_t open_total_ = 0;
};

}  // namespace merpati::outbound
