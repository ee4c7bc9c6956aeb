// The connections of one client, by origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/client.hpp"
#include "outbound/connection.hpp"
#include "outbound/shares.hpp"

namespace merpati::outbound {

/// Counts open connections against `pool_per_origin` and `pool_total`, divides those in use among
/// accounts (Shares), and keeps idle ones, which are nobody's, until they are `pool_idle` unused or
/// `pool_life` old.
///
/// Operation: `take` gives an idle connection or the right to open one; `release` gives back.
///
/// Threads: the client's one.
class ConnectionPool {
public:
    ConnectionPool(const Clock& clock, const AddressPolicy& policy, const ClientOptions& options)
        : clock_(clock), policy_(policy), options_(options), in_use_(options.pool_total) {}

    enum class Place : std::uint8_t { given, origin_full, all_full };
    struct Taken {
        Place place = Place::given;
        std::shared_ptr<Connection> connection;  // Null where one has to be opened.
    };
    /// An idle connection of the origin, its address judged again, or a place for one to be opened.
    /// When all places are taken, the origin with the most idle connections gives up one.
    [[nodiscard]] Taken take(const std::string& origin, std::int64_t account);

    /// Whether `take` would answer `all_full`, or `origin_full`.
    [[nodiscard]] bool has_room(std::int64_t account) const { return in_use_.may_take(account); }
    [[nodiscard]] bool has_room_at(const std::string& origin, std::int64_t account) const;

    /// Gives back what was taken; `connection` null: it was never opened; `keep`: it stays, idle.
    void release(const std::string& origin, std::int64_t account,
                 std::shared_ptr<Connection> connection, bool keep);

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
        explicit Origin(std::size_t max) : in_use(max) {}

        Shares in_use;
        std::vector<std::shared_ptr<Connection>> idle;  // The longest idle one first.
        std::size_t open = 0;                           // Idle, in use, or about to be opened.
        std::unique_ptr<SSL_SESSION, FreeSession> session;
    };

    Origin& origin_of(const std::string& name) {
        return origins_.try_emplace(name, options_.pool_per_origin).first->second;
    }
    [[nodiscard]] std::shared_ptr<Connection> take_idle(Origin& origin);
    [[nodiscard]] bool is_fresh(const Connection& connection) const;
    void drop(Origin& origin, const std::shared_ptr<Connection>& connection);
    [[nodiscard]] bool drop_idle_one();

    const Clock& clock_;
    const AddressPolicy& policy_;
    const ClientOptions& options_;
    std::unordered_map<std::string, Origin> origins_;
    std::size_t open_total_ = 0;
    Shares in_use_;  // Of pool_total.
};

}  // namespace merpati::outbound
