// Updates of rows that are written in every commit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// An UPDATE of one row by its id, which finds the row by its place, where the engine has places
/// (Connection::row_place).
///
/// Operation: `run` is queued like Statement::run, once for an id. Call `missed` before the
/// transaction ends, then `run` again for the ids that it returns, and `missed` again: other code
/// has written their rows. A place that is out of date is never taken for the row's.
///
/// Limits: remembers the places of `places_max` rows. Threads: the connection's. Throws Failure.
class PlacedUpdate {
public:
    /// `sql`: an UPDATE that ends in "WHERE id = ?1". `arguments`: how many it has.
    PlacedUpdate(Connection& connection, std::string_view sql, int arguments);

    template <class... Arguments>
    void run(std::int64_t id, const Arguments&... arguments) {
        if (!at_place_) {
            by_id_.run(id, arguments...);
            return;
        }
        auto& update = updates_[id];
        update.place = place_of(id);
        if (update.place) {
            at_place_->run_returning(update.written, id, arguments..., *update.place);
        } else {
            by_id_.run_returning(update.written, id, arguments...);
        }
    }
    /// The ids whose rows were not at their places. Waits.
    [[nodiscard]] std::vector<std::int64_t> missed();

    /// Where the row was written last. Empty: by its id, or not here.
    [[nodiscard]] std::optional<std::int64_t> place_of(std::int64_t id) const;

    /// Call after a rollback.
    void forget() { updates_.clear(); }

    static constexpr std::size_t places_max = 16'384;

private:
    struct Update {
        std::optional<std::int64_t> place{};    // Where the row was thought to be.
        std::optional<std::int64_t> written{};  // Where it is now.
    };

    Connection& connection_;
    Statement by_id_;
    std::optional<Statement> at_place_;
    std::unordered_map<std::int64_t, Update> updates_;  // Since the last `missed`.
    std::unordered_map<std::int64_t, std::int64_t> places_;
};

}  // namespace merpati::store::sql
