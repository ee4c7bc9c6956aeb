#include "outbound/connection_pool.hpp"

#include <algorithm>

namespace merpati::outbound {

std::optional<std::shared_ptr<Connection>> ConnectionPool::acquire(const std::string& name) {
    auto& origin = origins_[name];
    auto connection = take_idle(origin);
    if (connection == nullptr) {
        if (open_total_ >= options_.pool_total && !close_one_idle()) {
            return std::nullopt;
        }
        ++origin.open;
        ++open_total_;
    }
    return connection;
}

std::shared_ptr<Connection> ConnectionPool::take_idle(Origin& origin) {
    while (!origin.idle.empty()) {
        auto connection = std::move(origin.idle.back());
        origin.idle.pop_back();
        if (is_fresh(*connection) && !connection->is_closed_by_server() &&
            policy_.permits(connection->address)) {
            return connection;
        }
        close(origin, connection);
    }
    return nullptr;
}

void ConnectionPool::release(const std::string& name, std::shared_ptr<Connection> connection,
                             bool keep) {
    auto& origin = origins_[name];
    if (connection == nullptr) {
        --origin.open;
        --open_total_;
    } else if (keep) {
        connection->idle_since = clock_.steady_now();
        origin.idle.push_back(std::move(connection));
    } else {
        close(origin, connection);
    }
}

void ConnectionPool::close_idle(const std::string& name) {
    auto& origin = origins_[name];
    for (const auto& connection : origin.idle) {
        close(origin, connection);
    }
    origin.idle.clear();
}

void ConnectionPool::sweep() {
    for (auto next = origins_.begin(); next != origins_.end();) {
        auto& origin = next->second;
        std::erase_if(origin.idle, [&](const auto& connection) {
            const bool old = !is_fresh(*connection);
            if (old) {
                close(origin, connection);
            }
            return old;
        });
        next = origin.open == 0 ? origins_.erase(next) : std::next(next);
    }
}

void ConnectionPool::close_all() {
    for (auto& [name, origin] : origins_) {
        for (const auto& connection : origin.idle) {
            connection->close();
        }
    }
    origins_.clear();
    open_total_ = 0;
}

bool ConnectionPool::is_fresh(const Connection& connection) const {
    const auto now = clock_.steady_now();
    return now - connection.idle_since < options_.pool_idle &&
           now - connection.opened_at < options_.pool_life;
}

void ConnectionPool::close(Origin& origin, const std::shared_ptr<Connection>& connection) {
    connection->close();
    --origin.open;
    --open_total_;
}

/// Closes a connection of the origin that has the most idle ones. Closing the connection that was
/// idle for longest would be worse: if the origins need more than `pool_total`, each origin would
/// lose its connection before its next request, and every request would dial.
bool ConnectionPool::close_one_idle() {
    Origin* most_idle = nullptr;
    for (auto& [name, origin] : origins_) {
        if (!origin.idle.empty() &&
            (most_idle == nullptr || origin.idle.size() > most_idle->idle.size())) {
            most_idle = &origin;
        }
    }
    if (most_idle == nullptr) {
        return false;
    }
    close(*most_idle, most_idle->idle.front());
    most_idle->idle.erase(most_idle->idle.begin());
    return true;
}

}  // namespace merpati::outbound
