#include "store/postgres/schema.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "store/postgres/account_schema.hpp"
#include "store/postgres/campaign_schema.hpp"
#include "store/postgres/message_schema.hpp"
#include "store/postgres/node_schema.hpp"

namespace merpati::store::postgres {
namespace {

/// The version of SQLite's schema whose tables are created.
constexpr int created_version = 35;

constexpr std::array parts{accounts, messages, campaigns, nodes};

/// Held by who migrates, until the end of the transaction: "Merp".
constexpr const char* migration_lock = "SELECT pg_advisory_xact_lock(1298494064)";

/// Ends the transaction of a migration, also by a Failure.
class Undo {
public:
    explicit Undo(Connection& connection) : connection_(connection) {}
    ~Undo() { connection_.roll_back(); }
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;

private:
    Connection& connection_;
};

constexpr const char* count_relations =
    "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND ";

void create(Connection& connection) {
    for (const auto* part : parts) {
        connection.run_script(part);
    }
    connection.execute(fmt::format("INSERT INTO meta(name, value) VALUES('schema_version', "
                                   "convert_to('{}', 'UTF8'))",
                                   created_version)
                           .c_str());
}

}  // namespace

int schema_version() noexcept {
    return created_version;
}

std::optional<int> stored_schema_version(Connection& connection) {
    const auto count = [&](const char* which) {
        return connection.query_text((std::string{count_relations} + which).c_str());
    };
    if (count("c.relkind IN ('r', 'p', 'v', 'm')") == "0") {
        return 0;
    }
    if (count("c.relname IN ('meta', 'api_key', 'completion')") != "3") {
        return std::nullopt;
    }
    const auto text = connection.query_text(
        "SELECT convert_from(value, 'UTF8') FROM meta WHERE name = 'schema_version'");
    int found = 0;
    std::from_chars(text.data(), text.data() + text.size(), found);
    return found > 0 ? std::optional{found} : std::nullopt;
}

Result<void> migrate(Connection& connection, bool create_missing) {
    if (connection.query_text("SELECT coalesce(current_schema(), '')").empty()) {
        return fail(ErrorCode::not_found, "no schema of the search_path exists in the database");
    }
    if (stored_schema_version(connection) == created_version) {
        return {};
    }
    connection.begin();
    const Undo undo{connection};
    (void)connection.query_text(migration_lock);
    const auto found = stored_schema_version(connection);  // Another node may have created it.
    if (!found) {
        return fail(ErrorCode::conflict,
                    "the database has tables of another program: name another database with "
                    "store.url");
    }
    if (*found != 0 && *found != created_version) {
        return fail(ErrorCode::conflict,
                    fmt::format("the store's schema is version {}, this program knows {}: run the "
                                "program that wrote it",
                                *found, created_version));
    }
    if (*found == 0 && !create_missing) {
        return fail(ErrorCode::not_found, "there is no store in the database: check store.url");
    }
    if (*found == 0) {
        create(connection);
    }
    connection.commit();
    return {};
}

}  // namespace merpati::store::postgres
