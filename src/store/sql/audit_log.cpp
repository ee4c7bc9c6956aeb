// The methods of StoredTables and StoredReader for the log of changes.
#include <limits>
#include <string>

#include "store/sql/rows.hpp"
#include "store/sql/stored_reader.hpp"
#include "store/sql/stored_tables.hpp"

namespace merpati::store::sql {
namespace {

AuditEntry read_audit(const Cursor& row) {
    AuditEntry entry{.id = {row.integer(0)},
                     .at = row.time(1),
                     .door = std::string{row.text(2)},
                     .actor = std::string{row.text(3)},
                     .actor_name = std::string{row.text(4)},
                     .account = {},
                     .operation = std::string{row.text(6)},
                     .object = std::string{row.text(7)},
                     .before = std::string{row.text(8)},
                     .after = std::string{row.text(9)},
                     .request_id = std::string{row.text(10)},
                     .outcome = std::string{row.text(11)}};
    if (!row.null(5)) {
        entry.account = model::AccountId{row.integer(5)};
    }
    return entry;
}

}  // namespace

Result<model::AuditId> StoredTables::add_audit(const AuditEntry& entry) {
    Statement insert{
        connection_,
        "INSERT INTO audit(at, door, actor, actor_name, account, operation, object, "
        "before, after, request_id, outcome) VALUES(?,?,?,?,?,?,?,?,?,?,?) RETURNING id"};
    const auto account =
        entry.account ? std::optional{entry.account->value} : std::optional<std::int64_t>{};
    return model::AuditId{insert_row(insert, entry.at, entry.door, entry.actor, entry.actor_name,
                                     account, entry.operation, entry.object, or_null(entry.before),
                                     or_null(entry.after), or_null(entry.request_id),
                                     or_null(entry.outcome))};
}

Result<void> StoredTables::end_audit(model::AuditId entry, std::string_view outcome,
                                     std::string_view after) {
    Statement update{connection_, "UPDATE audit SET outcome = ?, after = ? WHERE id = ?"};
    const auto shown = after.empty() ? std::nullopt : std::optional{after};
    update.run(outcome, shown, entry.value);
    return {};
}

Result<std::vector<AuditEntry>> StoredReader::audit(const AuditFilter& filter) {
    return guarded([&]() -> Result<std::vector<AuditEntry>> {
        std::string sql =
            "SELECT id, at, door, actor, actor_name, account, operation, object, before, after, "
            "request_id, outcome FROM audit WHERE id < ?1";
        sql += filter.account ? " AND account = ?2" : " AND ?2 IS NULL";
        sql += filter.actor ? " AND actor = ?3" : " AND ?3 IS NULL";
        sql += filter.object ? " AND object = ?4" : " AND ?4 IS NULL";
        sql += " ORDER BY id DESC LIMIT ?5";
        Statement list{connection_, sql};
        const auto account =
            filter.account ? std::optional{filter.account->value} : std::optional<std::int64_t>{};
        const auto before =
            filter.before ? filter.before->value : std::numeric_limits<std::int64_t>::max();
        return all_rows(list.query(before, account, filter.actor, filter.object, filter.limit),
                        read_audit);
    });
}

}  // namespace merpati::store::sql
