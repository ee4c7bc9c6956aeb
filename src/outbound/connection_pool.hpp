// The connections of one client, by origin.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/client.hpp"
#include "outbound/connection.hpp"

namespace merpati::outbound {

/// Limits open connections to `pool_total`, and keeps idle ones until they are unused for
/// `pool_idle` or older than `pool_life`.
///
/// Operation: `acquire` gives an idle connection or the right to open one; `release` returns it.
///
/// Threads: the client's one.
class ConnectionPool {
public:
    ConnectionPool(const Clock& clock, const AddressPolicy& policy, const ClientOptions& options)
        : clock_(clock), policy_(policy), options_(options) {}

    /// Returns an idle connection of the origin that its server has not closed, after checking its
    /// address again; null if the
    /// caller may open one; nothing if `pool_total` connections are in use. When `pool_total` are
    /// open and some are idle, the origin with the most idle connections loses one.
    [[nodiscard]] std::optional<std::shared_ptr<Connection>> acquire(const std::string& origin);

    /// Gives back what was acquired. `connection` null: it was never opened. `keep`: the connection
    /// becomes idle; otherwise it is closed.
    void release(const std::string& origin, std::shared_ptr<Connection> connection, bool keep);

    /// Closes the origin's idle connections. Call when its server has closed one of them.
    void close_idle(const std::string& origin);

    /// Closes idle connections that are too old, and drops origins without connections.
    void sweep();
    void close_all();

    [[nodiscard]] bool empty() const noexcept { return origins_.empty(); }

private:
    struct Origin {
        std::vector<std::shared_ptr<Connection>> idle;  // Longest idle first.
        std::size_t open = 0;                           // Idle, in use, or about to be opened.
    };

    [[nodiscard]] std::shared_ptr<Connection> take_idle(Origin& origin);
    [[nodiscard]] bool is_fresh(const Connection& connection) const;
    void close(Origin& origin, const std::shared_ptr<Connection>& connection);
    [[nodiscard]] bool close_one_idle();

    const Clock& clock_;
    const AddressPolicy& policy_;
    const ClientOptions& options_;
    std::unordered_map<std::string, Origin> origins_;
    std::size_t open_total_ = 0;
};

}  // namespace merpati::outbound
