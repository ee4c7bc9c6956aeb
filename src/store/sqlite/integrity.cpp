#include <string_view>

#include "store/sql/campaign_check.hpp"
#include "store/sql/ledger_check.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace merpati::store::sqlite {
namespace {

/// SQLite asks whether to continue after this many of its steps.
constexpr int steps_between = 10'000;

struct Deadline {
    const Clock& clock;
    SteadyTime at;
};

int is_over(void* deadline) {
    const auto& [clock, at] = *static_cast<const Deadline*>(deadline);
    return clock.steady_now() >= at ? 1 : 0;
}

bool has_table(Connection& connection, std::string_view table) {
    Statement find{connection, "SELECT 1 FROM sqlite_schema WHERE name = ?"};
    return find.query(table).next();
}

/// An older schema may have no ledger, or no campaigns.
void compare_rows(Connection& connection, Integrity& found) {
    if (has_table(connection, "campaign")) {
        found.ledger_faults = sql::compare_ledgers(connection);
        sql::compare_counts(connection, found.campaign_faults);
    }
    if (has_table(connection, "campaign_outcome")) {
        sql::compare_outcomes(connection, found.campaign_faults);
    }
}

}  // namespace

Result<Integrity> check_integrity(const std::filesystem::path& path, Depth depth,
                                  const Clock& clock, std::chrono::milliseconds time_max) {
    return guarded([&]() -> Result<Integrity> {
        Integrity found;
        Connection connection{path.string(), Access::read_only};
        Deadline deadline{.clock = clock, .at = clock.steady_now() + time_max};
        sqlite3_progress_handler(connection.handle(), steps_between, is_over, &deadline);
        try {
            Statement check{connection, depth == Depth::deep ? "PRAGMA integrity_check(10)"
                                                             : "PRAGMA quick_check(10)"};
            auto row = check.query();
            while (row.next()) {
                if (row.text(0) != "ok") {
                    found.damages.emplace_back(row.text(0));
                }
            }
            if (found.damages.empty()) {
                compare_rows(connection, found);
            }
        } catch (const Failure& failure) {
            const auto* coded = dynamic_cast<const SqliteFailure*>(&failure);
            if (failure.is_damage()) {
                found.damages.emplace_back(failure.what());
            } else if (coded != nullptr && coded->code() == SQLITE_INTERRUPT) {
                found.complete = false;
            } else {
                throw;
            }
        }
        return found;
    });
}

}  // namespace merpati::store::sqlite
