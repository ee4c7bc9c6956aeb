// Removes the rows that retention no longer keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "store/sql/connection.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/stored_people.hpp"
#include "store/tables.hpp"

namespace merpati::store::sql {

/// Removes the old rows of one table.
class PruneTask {
public:
    PruneTask() = default;
    PruneTask(const PruneTask&) = delete;
    PruneTask& operator=(const PruneTask&) = delete;
    virtual ~PruneTask() = default;

    enum class Visit : std::uint8_t {
        removed,
        kept,  // The row stays for now; the next visit is of a later one.
        none,  // No row is left to visit; the next visit begins anew.
    };
    /// Visits one row: finds it by an index, and removes it with what belongs to it, so that a
    /// visit costs the same whatever is stored. Throws Failure.
    [[nodiscard]] virtual Visit visit(const PruneLimits& limits) = 0;

    /// False: nothing can have become old since the last round.
    [[nodiscard]] virtual bool is_due(const PruneLimits& /*limits*/) { return true; }
};

/// What the tasks work on.
struct PruneRooms {
    Connection& connection;
    MessageWriter& writer;
    StoredPeople& people;
    /// Removes a key. False: none is old.
    std::function<bool(const PruneLimits& limits)> prune_key;
};

/// Every task, one for each kind of row that retention removes.
[[nodiscard]] std::vector<std::unique_ptr<PruneTask>> prune_tasks(const PruneRooms& rooms);
[[nodiscard]] std::unique_ptr<PruneTask> usage_task(const PruneRooms& rooms);
[[nodiscard]] std::unique_ptr<PruneTask> ledger_task(const PruneRooms& rooms);
[[nodiscard]] std::unique_ptr<PruneTask> recipients_task(const PruneRooms& rooms);

/// Operation: `step` runs the tasks in turn, some rows each, until its time is over. The next step
/// continues with the next task, so a table with much to remove does not delay another. A task that
/// has no row left waits for the next round. A round is complete when no task has one left.
///
/// Faults: a task that meets damage is left out until the next start; the others go on.
///
/// Threads: one, the store's.
class Retention {
public:
    explicit Retention(const PruneRooms& rooms) : rooms_(rooms) {}

    /// Throws Failure.
    [[nodiscard]] PruneStep step(const PruneLimits& limits);

private:
    /// How many rows a task visits before it is the next one's turn.
    static constexpr std::size_t visits_in_turn = 50;

    struct Place {
        std::unique_ptr<PruneTask> task;
        bool has_more = false;
        bool is_damaged = false;
    };
    void begin_round(const PruneLimits& limits);
    [[nodiscard]] bool has_more() const;
    [[nodiscard]] PruneTask::Visit visit(Place& place, const PruneLimits& limits);

    const PruneRooms rooms_;
    std::vector<Place> places_;  // Made by the first step, because most programs take none.
    std::size_t turn_ = 0;
};

}  // namespace merpati::store::sql
