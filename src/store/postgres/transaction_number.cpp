#include "store/postgres/transaction_number.hpp"

#include <string_view>

#include <fmt/format.h>

namespace merpati::store::postgres {
namespace {

constexpr std::string_view current_number = "pg_current_xact_id()::text::bigint";

/// The name of a file of the log begins with it, as eight digits.
constexpr std::string_view current_timeline =
    "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint";

/// The name of a row, an expression of SQL. A node's transactions take turns with many rows: while
/// somebody holds a snapshot, all versions of a row stay, and each update passes them.
std::string place_of(const NodeGeneration& node, std::string_view number) {
    constexpr int rows = 1'024;
    return fmt::format("'commit_of_node_{}_' || {} % {}", node.node, number, rows);
}

std::string read_status_if(std::int64_t number, std::string_view condition) {
    return fmt::format(
        "SELECT CASE WHEN {0} >= {1} THEN 'aborted' WHEN {2} THEN pg_xact_status('{0}'::xid8) END "
        "FROM meta WHERE name = 'schema_version' FOR SHARE",
        number, current_number, condition);
}

}  // namespace

std::string read_number() {
    return fmt::format("SELECT {}", current_number);
}

std::string leave_number(const NodeGeneration& node) {
    return fmt::format(
        "INSERT INTO meta(name, value) VALUES({0}, convert_to({1}::text, 'UTF8')) "
        "ON CONFLICT(name) DO UPDATE SET value = excluded.value RETURNING {1}",
        place_of(node, current_number), current_number);
}

std::string read_timeline() {
    return fmt::format("SELECT {}", current_timeline);
}

std::string read_status(std::int64_t number) {
    return read_status_if(number, "true");
}

std::string read_status_on_timeline(std::int64_t number, std::int64_t timeline) {
    return read_status_if(number, fmt::format("{} = {}", current_timeline, timeline));
}

std::string read_left(const NodeGeneration& node, std::int64_t number) {
    return fmt::format(
        "SELECT coalesce((SELECT convert_from(value, 'UTF8') FROM meta WHERE name = {}), '')",
        place_of(node, std::to_string(number)));
}

}  // namespace merpati::store::postgres
