#include "store/postgres/stored_journal.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "store/postgres/database_clock.hpp"

namespace merpati::store::postgres {
namespace {

using sql::Failure;

/// Callers wait for what others follow, and give up after a second.
constexpr std::chrono::milliseconds answer_within{5'000};

constexpr Millis kept = RowJournal::kept;

/// Between the last rows that a node can have missed and their removal.
constexpr Millis margin = std::chrono::minutes{1};

// Which rows are read, of `r`.
constexpr std::string_view no_rows = "FALSE";
constexpr std::string_view all_rows = "r.node <> ?1";
constexpr std::string_view new_rows =
    "r.node <> ?1 AND r.transaction >= pg_snapshot_xmin(?2::pg_snapshot) AND NOT "
    "pg_visible_in_snapshot(r.transaction, ?2::pg_snapshot)";

/// Looks at `looked_at` rows of each end of the journal. The oldest have the lowest numbers of
/// transactions; those of a database that was restored into another server may have numbers that
/// are yet to come. Rows that another node removes just now are left out, so that nobody waits. A
/// row is never updated, so its place (ctid) names it as long as it is there.
std::string remove_old() {
    const auto end = [](std::string_view direction) {
        return fmt::format(
            "(SELECT ctid AS place, at FROM row_change ORDER BY transaction {0}, id {0} LIMIT {1})",
            direction, JournalWriter::looked_at);
    };
    return fmt::format(
        "DELETE FROM row_change WHERE ctid = ANY(ARRAY(SELECT ctid FROM row_change WHERE ctid = "
        "ANY(ARRAY(SELECT place FROM ({} UNION ALL {}) ends WHERE at < {} - {})) "
        "FOR UPDATE SKIP LOCKED))",
        end("ASC"), end("DESC"), now, kept.count());
}

}  // namespace

JournalWriter::JournalWriter(Connection& connection)
    : insert_(connection, "INSERT INTO row_change(node, kind, row_id) VALUES(?, ?, ?)"),
      remove_old_(connection, remove_old()) {}

void JournalWriter::write(std::span<const RowChange> changes) {
    if (!self_) {
        return;
    }
    for (const auto& change : changes) {
        const auto row = directory_row_of(change);
        if (!row) {
            continue;
        }
        insert_.run(self_->node, static_cast<int>(row->kind), row->id);
        if (until_removal_-- == 0) {
            until_removal_ = remove_every - 1;
            remove_old_.run();
        }
    }
}

StoredJournal::StoredJournal(ConnectionSettings settings)
    : connection_(std::move(settings), answer_within) {
    connection_.wait_for_locks(answer_within);
}

void StoredJournal::join(const NodeGeneration& self) {
    const std::lock_guard lock{mutex_};
    self_ = self;
    connection_.fence(self);
}

Result<std::vector<DirectoryRow>> StoredJournal::changed_rows() {
    return guarded([&]() -> Result<std::vector<DirectoryRow>> {
        if (!last_) {
            last_ = look(no_rows);
            write_followed();
            return std::vector<DirectoryRow>{};
        }
        auto found = look(new_rows);
        if (found.server != last_->server || found.session != last_->session) {
            found = look(all_rows);
        }
        check_not_late(found);
        auto rows = std::exchange(found.rows, {});
        last_ = std::move(found);
        std::ranges::sort(rows);
        const auto repeated = std::ranges::unique(rows);
        rows.erase(repeated.begin(), repeated.end());
        return rows;
    });
}

/// The snapshot is that of the statement, which sees the same rows.
StoredJournal::Look StoredJournal::look(std::string_view rows) {
    sql::Statement find{
        connection_, fmt::format("SELECT c.snapshot, c.server, c.at, r.kind, r.row_id FROM (SELECT "
                                 "pg_current_snapshot()::text AS snapshot, "
                                 "pg_postmaster_start_time()::text AS server, {} AS at) c "
                                 "LEFT JOIN row_change r ON {}",
                                 now, rows)};
    Look found;
    const auto read = [&](sql::Cursor row) {
        while (row.next()) {
            found.snapshot = row.text(0);
            found.server = row.text(1);
            found.at = row.integer(2);
            // A newer version of this program may note rows of tables that this one has not.
            if (!row.null(3) && row.integer(3) <= static_cast<int>(DirectoryRow::Kind::session)) {
                found.rows.push_back(
                    {.kind = row.enumerator(3, DirectoryRow::Kind::session), .id = row.integer(4)});
            }
        }
    };
    if (rows == new_rows) {
        read(find.query(self().node, last_->snapshot));
    } else if (rows == all_rows) {
        read(find.query(self().node));
    } else {
        read(find.query());
    }
    found.session = connection_.session();
    return found;
}

/// What it has not read may be removed by now. A node that is silent for so long is deposed, unless
/// no other is there.
void StoredJournal::check_not_late(const Look& found) const {
    const auto silent_for = found.at - last_->at;
    if (Millis{silent_for} >= kept - margin) {
        throw Failure{
            Failure::Kind::fenced,
            fmt::format("this node has not followed the others for {} s", silent_for / 1'000)};
    }
}

Result<void> StoredJournal::note_followed() {
    return guarded([&]() -> Result<void> {
        invariant(last_.has_value(), "a node reads before it says what it has read");
        write_followed();
        return {};
    });
}

/// Nothing is lost if this is: others wait a second.
void StoredJournal::write_followed() {
    connection_.begin();
    connection_.execute("SET LOCAL synchronous_commit = off");
    sql::Statement note{connection_,
                        "UPDATE node_heartbeat SET read_to = ?2::pg_snapshot WHERE node = ?1"};
    note.run(self().node, last_->snapshot);
    connection_.commit();
}

Result<bool> StoredJournal::all_follow(Moment& moment) {
    return guarded([&]() -> Result<bool> {
        sql::Statement ask{
            connection_,
            "SELECT m.moment::text, NOT EXISTS (SELECT 1 FROM node n JOIN node_heartbeat h "
            "ON h.node = n.id WHERE n.id <> ?1 AND n.state <> 'gone' AND h.read_to IS NOT NULL "
            "AND EXISTS (SELECT 1 FROM row_change r WHERE r.node = ?1 "
            "AND r.transaction >= pg_snapshot_xmin(h.read_to) "
            "AND NOT pg_visible_in_snapshot(r.transaction, h.read_to) "
            "AND pg_visible_in_snapshot(r.transaction, m.moment))) FROM (SELECT "
            "coalesce(nullif(?2, '')::pg_snapshot, pg_current_snapshot()) AS moment) m"};
        auto row = ask.query(self().node, moment.text);
        invariant(row.next(), "a row that is computed is there");
        moment.text = row.text(0);
        return row.integer(1) != 0;
    });
}

/// Turns a Failure into an Error.
template <class Body>
auto StoredJournal::guarded(Body body) -> decltype(body()) {
    const std::lock_guard lock{mutex_};
    try {
        return body();
    } catch (const Failure& failure) {
        connection_.roll_back();
        return fail(failure.is_busy() ? ErrorCode::busy : sql::code_of(failure.kind()),
                    failure.what());
    }
}

const NodeGeneration& StoredJournal::self() const {
    invariant(self_.has_value(), "a node joins first");
    return *self_;
}

}  // namespace merpati::store::postgres
