#include "store/sqlite/statement_costs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace merpati::store::sqlite {
namespace {

std::mutex mutex;  // Guards what follows: stores have threads.
bool measures = false;
bool is_exempt = false;
std::map<std::string, StatementCost> measured;
std::int64_t all_steps = 0;
std::set<std::string> seen;

/// Numbers that are part of a name stay: "?1".
std::string normal(std::string_view sql) {
    std::string text;
    for (std::size_t place = 0; place < sql.size(); ++place) {
        const auto is_digit = [&](std::size_t at) {
            return at < sql.size() && std::isdigit(static_cast<unsigned char>(sql[at])) != 0;
        };
        if (!is_digit(place) || (place > 0 && (sql[place - 1] == '?' || sql[place - 1] == '_'))) {
            text += sql[place];
            continue;
        }
        text += 'N';
        while (is_digit(place + 1)) {
            ++place;
        }
    }
    return text;
}

/// Statements that no cost test executes: how they begin, and why.
constexpr std::array<std::string_view, 7> not_measured{
    "SELECT tail FROM callback WHERE id = ?",  // After damage; one row by its key.
    // After damage; as the list of campaigns itself, which is measured.
    "SELECT c.id FROM campaign c WHERE c.id < ?1 AND c.removed = N AND ?2 IS NULL AND ?3 IS NULL "
    "ORDER BY c.id DESC LIMIT ?4",
    "SELECT c.id FROM campaign c WHERE c.id < ?1 AND c.removed = N AND c.account = ?2 AND "
    "?3 IS NULL ORDER BY c.id DESC LIMIT ?4",
    // After damage, where callbacks or campaigns are listed; few rows, and one.
    "SELECT id FROM account WHERE id > ? ORDER BY id",
    "SELECT seq FROM sqlite_sequence WHERE name = ?",
    "SELECT N FROM message_block WHERE first = ? AND last = ?",  // One row by its key.
    // At a start with a new key file; one row by its key.
    "INSERT INTO meta(name, value) VALUES('key_check', ?1) ON CONFLICT(name) DO UPDATE SET "
    "value = ?1",
};

/// Whether the statement is one of the engine's on its tables. Steps of the schema, and what tests
/// run themselves, end with a semicolon.
bool counts(std::string_view sql) {
    const bool is_query = sql.starts_with("SELECT") || sql.starts_with("INSERT") ||
                          sql.starts_with("UPDATE") || sql.starts_with("DELETE");
    return is_query && !sql.contains(" item(") && !sql.ends_with(';') &&
           !sql.contains("sqlite_schema") && !sql.contains("dbstat");
}

int note(unsigned /*event*/, void* /*own*/, void* handle, void* /*nanoseconds*/) {
    auto* statement = static_cast<sqlite3_stmt*>(handle);
    const auto* sql = sqlite3_sql(statement);
    const auto scanned = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    const auto steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    if (sql == nullptr || !counts(sql)) {
        return 0;
    }
    const std::lock_guard lock{mutex};
    if (!measures) {
        if (!is_exempt) {
            seen.insert(normal(sql));
        }
        return 0;
    }
    all_steps += steps;
    auto& cost = measured[normal(sql)];
    cost.scanned = std::max<std::int64_t>(cost.scanned, scanned);
    cost.steps = std::max<std::int64_t>(cost.steps, steps);
    return 0;
}

int watch(sqlite3* connection, const char** /*error*/, const void* /*functions*/) {
    sqlite3_trace_v2(connection, SQLITE_TRACE_PROFILE, note, nullptr);
    return SQLITE_OK;
}

class EveryStatementIsMeasured final : public ::testing::Environment {
public:
    void SetUp() override { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
    void TearDown() override {
        sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch));
        const std::lock_guard lock{mutex};
        if (measured.empty()) {
            return;  // A part of the tests.
        }
        for (const auto& sql : seen) {
            if (sql.ends_with(" DESC") && sql.contains(" > ? ORDER BY ")) {
                continue;  // After damage, all rows are read from the other end.
            }
            EXPECT_TRUE(measured.contains(sql) ||
                        std::ranges::find(not_measured, sql) != not_measured.end())
                << "no cost test executes: " << sql;
        }
    }
};

const auto* const environment = ::testing::AddGlobalTestEnvironment(new EveryStatementIsMeasured);

}  // namespace

CopiesWholeTables::CopiesWholeTables() {
    const std::lock_guard lock{mutex};
    is_exempt = true;
}

CopiesWholeTables::~CopiesWholeTables() {
    const std::lock_guard lock{mutex};
    is_exempt = false;
}

StatementCosts::StatementCosts() {
    const std::lock_guard lock{mutex};
    measures = true;
}

StatementCosts::~StatementCosts() {
    const std::lock_guard lock{mutex};
    measures = false;
}

std::map<std::string, StatementCost> StatementCosts::all() {
    const std::lock_guard lock{mutex};
    return measured;
}

std::int64_t StatementCosts::take_steps() {
    const std::lock_guard lock{mutex};
    return std::exchange(all_steps, 0);
}

}  // namespace merpati::store::sqlite
