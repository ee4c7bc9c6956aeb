#include "store/sql/placed_update.hpp"

#include <fmt/format.h>

namespace merpati::store::sql {
namespace {

std::string with_place(const Connection& connection, std::string_view sql) {
    const auto place = connection.row_place();
    return place.empty() ? std::string{sql} : fmt::format("{} RETURNING {}", sql, place);
}

}  // namespace

PlacedUpdate::PlacedUpdate(Connection& connection, std::string_view sql, int arguments)
    : connection_(connection), by_id_(connection, with_place(connection, sql)) {
    if (!connection.row_place().empty()) {
        at_place_.emplace(
            connection,
            with_place(connection, fmt::format("{} AND {}", sql, connection.is_at(arguments + 1))));
    }
}

std::vector<std::int64_t> PlacedUpdate::missed() {
    std::vector<std::int64_t> missed;
    if (updates_.empty()) {
        return missed;
    }
    connection_.wait();
    if (places_.size() + updates_.size() > places_max) {
        places_.clear();
    }
    for (const auto& [id, update] : updates_) {
        if (update.written) {
            places_[id] = *update.written;
        } else if (update.place) {
            places_.erase(id);
            missed.push_back(id);
        }
    }
    updates_.clear();
    return missed;
}

std::optional<std::int64_t> PlacedUpdate::place_of(std::int64_t id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? std::nullopt : std::optional{found->second};
}

}  // namespace merpati::store::sql
