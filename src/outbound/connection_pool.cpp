#include "outbound/connection_pool.hpp"

#include <algorithm>

namespace merpati::outbound {

std::shared_ptr<Connection> ConnectionPool::take_idle(const std::string& origin) {
    const auto found = origins_.find(origin);
    if (found == origins_.end()) {
        return nullptr;
    }
    auto& idle = found->second.idle;
    while (!idle.empty()) {
        auto connection = std::move(idle.back());
        idle.pop_back();
        if (is_fresh(*connection) && policy_.permits(connection->address)) {
            return connection;
        }
        drop(found->second, connection);
    }
    return nullptr;
}

ConnectionPool::Place ConnectionPool::reserve(const std::string& origin) {
    if (origins_[origin].open >= options_.pool_per_origin) {
        return Place::origin_full;
    }
    if (open_total_ >= options_.pool_total && !drop_longest_idle()) {
        return Place::all_full;
    }
    ++origins_[origin].open;
    ++open_total_;
    return Place::given;
}

void ConnectionPool::release(const std::string& origin, std::shared_ptr<Connection> connection,
                             bool keep) {
    auto& place = origins_[origin];
    if (connection == nullptr) {
        --place.open;
        --open_total_;
    } else if (keep) {
        connection->idle_since = clock_.steady_now();
        place.idle.push_back(std::move(connection));
    } else {
        drop(place, connection);
    }
}

void ConnectionPool::close_idle(const std::string& origin) {
    auto& place = origins_[origin];
    for (const auto& connection : place.idle) {
        drop(place, connection);
    }
    place.idle.clear();
}

SSL_SESSION* ConnectionPool::session(const std::string& origin) {
    return origins_[origin].session.get();
}

void ConnectionPool::keep_session(const std::string& origin, SSL_SESSION* session) {
    origins_[origin].session.reset(session);
}

void ConnectionPool::sweep() {
    for (auto next = origins_.begin(); next != origins_.end();) {
        auto& origin = next->second;
        std::erase_if(origin.idle, [&](const auto& connection) {
            const bool old = !is_fresh(*connection);
            if (old) {
                drop(origin, connection);
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

void ConnectionPool::drop(Origin& origin, const std::shared_ptr<Connection>& connection) {
    connection->close();
    --origin.open;
    --open_total_;
}

bool ConnectionPool::drop_longest_idle() {
    Origin* longest = nullptr;
    for (auto& [name, origin] : origins_) {
        if (!origin.idle.empty() && (longest == nullptr || origin.idle.front()->idle_since <
                                                               longest->idle.front()->idle_since)) {
            longest = &origin;
        }
    }
    if (longest == nullptr) {
        return false;
    }
    drop(*longest, longest->idle.front());
    longest->idle.erase(longest->idle.begin());
    return true;
}

}  // namespace merpati::outbound
