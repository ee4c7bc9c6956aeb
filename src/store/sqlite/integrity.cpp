#include "store/sqlite/campaign_check.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/ledger_check.hpp"
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
                found.ledger_faults = compare_ledgers(connection);
                found.campaign_faults = compare_campaigns(connection);
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
