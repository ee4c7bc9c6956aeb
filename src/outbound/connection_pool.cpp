#include "outbound/connection_pool.hpp"

#include <algorithm>

namespace merpati::outbound {

ConnectionPool::Taken ConnectionPool::take(const std::string& name, std::int64_t account) {
    auto& origin = origin_of(name);
    if (!origin.in_use.may_take(account)) {
        return {.place = Place::origin_full};
    }
    if (!in_use_.may_take(account)) {
        return {.place = Place::all_full};
    }
    auto connection = take_idle(origin);
    if (connection == nullptr) {
        if (open_total_ >= options_.pool_total && !drop_idle_one()) {
            return {.place = Place::all_full};
        }
        ++origin.open;
        ++open_total_;
    }
    origin.in_use.take(account);
    in_use_.take(account);
    return {.place = Place::given, .connection = std::move(connection)};
}

bool ConnectionPool::has_room_at(const std::string& name, std::int64_t account) const {
    const auto found = origins_.find(name);
    return found == origins_.end() || found->second.in_use.may_take(account);
}

std::shared_ptr<Connection> ConnectionPool::take_idle(Origin& origin) {
    while (!origin.idle.empty()) {
        auto connection = std::move(origin.idle.back());
        origin.idle.pop_back();
        if (is_fresh(*connection) && policy_.permits(connection->address)) {
            return connection;
        }
        drop(origin, connection);
    }
    return nullptr;
}

void ConnectionPool::release(const std::string& name, std::int64_t account,
                             std::shared_ptr<Connection> connection, bool keep) {
    auto& origin = origin_of(name);
    origin.in_use.give_back(account);
    in_use_.give_back(account);
    if (connection == nullptr) {
        --origin.open;
        --open_total_;
    } else if (keep) {
        connection->idle_since = clock_.steady_now();
        origin.idle.push_back(std::move(connection));
    } else {
        drop(origin, connection);
    }
}

void ConnectionPool::close_idle(const std::string& origin) {
    auto& place = origin_of(origin);
    for (const auto& connection : place.idle) {
        drop(place, connection);
    }
    place.idle.clear();
}

SSL_SESSION* ConnectionPool::session(const std::string& origin) {
    return origin_of(origin).session.get();
}

void ConnectionPool::keep_session(const std::string& origin, SSL_SESSION* session) {
    origin_of(origin).session.reset(session);
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

/// Out of many: where origins want more connections than there are, throwing out the longest idle
/// one would close each origin's before its next turn, and every request would dial.
bool ConnectionPool::drop_idle_one() {
    Origin* richest = nullptr;
    for (auto& [name, origin] : origins_) {
        if (!origin.idle.empty() &&
            (richest == nullptr || origin.idle.size() > richest->idle.size())) {
            richest = &origin;
        }
    }
    if (richest == nullptr) {
        return false;
    }
    drop(*richest, richest->idle.front());
    richest->idle.erase(richest->idle.begin());
    return true;
}

}  // namespace merpati::outbound
