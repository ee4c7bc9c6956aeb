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
constexpr int created_version = 37;

/// The lowest version of programs that work with these tables, too: their statements find all that
/// they name, and need not name what is new.
constexpr int oldest_program = created_version;

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
    connection.execute(fmt::format("INSERT INTO meta(name, value) VALUES"
                                   "('schema_version', convert_to('{}', 'UTF8')), "
                                   "('oldest_program', convert_to('{}', 'UTF8'))",
                                   created_version, oldest_program)
                           .c_str());
}

/// A row of `meta`; 0: there is none, or it is no number.
int number_in_meta(Connection& connection, const char* name) {
    const auto text = connection.query_text(
        fmt::format("SELECT coalesce(max(convert_from(value, 'UTF8')), '') FROM meta "
                    "WHERE name = '{}'",
                    name)
            .c_str());
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

int schema_version() noexcept {
    return created_version;
}

bool StoredSchema::fits() const noexcept {
    return version == created_version ||
           (version == created_version + 1 && oldest_program <= created_version);
}

std::optional<StoredSchema> stored_schema(Connection& connection) {
    const auto count = [&](const char* which) {
        return connection.query_text((std::string{count_relations} + which).c_str());
    };
    if (count("c.relkind IN ('r', 'p', 'v', 'm')") == "0") {
        return StoredSchema{};
    }
    if (count("c.relname IN ('meta', 'api_key', 'completion')") != "3") {
        return std::nullopt;
    }
    const int version = number_in_meta(connection, "schema_version");
    if (version <= 0) {
        return std::nullopt;
    }
    const int oldest = number_in_meta(connection, "oldest_program");
    return StoredSchema{.version = version, .oldest_program = oldest > 0 ? oldest : version};
}

Result<void> migrate(Connection& connection, bool create_missing) {
    if (connection.query_text("SELECT coalesce(current_schema(), '')").empty()) {
        return fail(ErrorCode::not_found, "no schema of the search_path exists in the database");
    }
    if (const auto stored = stored_schema(connection); stored && stored->fits()) {
        return {};
    }
    connection.begin();
    const Undo undo{connection};
    (void)connection.query_text(migration_lock);
    const auto found = stored_schema(connection);  // Another node may have created it.
    if (!found) {
        return fail(ErrorCode::conflict,
                    "the database has tables of another program: name another database with "
                    "store.url");
    }
    if (found->version != 0 && !found->fits()) {
        return fail(ErrorCode::conflict,
                    fmt::format("the store's schema is version {}, this program knows {}: run the "
                                "program that wrote it",
                                found->version, created_version));
    }
    if (found->version == 0 && !create_missing) {
        return fail(ErrorCode::not_found, "there is no store in the database: check store.url");
    }
    if (found->version == 0) {
        create(connection);
    }
    connection.commit();
    return {};
}

}  // namespace merpati::store::postgres
