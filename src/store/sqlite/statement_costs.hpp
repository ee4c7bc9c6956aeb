// The cost of each SQL statement that the test program executes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace merpati::store::sqlite {

/// What the dearest execution of a statement cost, in SQLite's own count.
struct StatementCost {
    std::int64_t scanned = 0;  // Rows that it walked in a full scan of a table or an index.
    std::int64_t steps = 0;    // Instructions.
};

/// Measures the statements of all connections while it lives. Numbers in their texts are replaced
/// by "N".
///
/// After the last test, the program fails if a test of the suite has executed a statement that was
/// not measured, although something was: every statement has a cost test.
class StatementCosts {
public:
    StatementCosts();
    ~StatementCosts();
    StatementCosts(const StatementCosts&) = delete;
    StatementCosts& operator=(const StatementCosts&) = delete;

    [[nodiscard]] static std::map<std::string, StatementCost> all();

    /// The steps of all statements since the last call of this function.
    [[nodiscard]] static std::int64_t take_steps();
};

/// While one lives, statements need no cost test: what runs copies whole tables, of stores that no
/// server uses.
class CopiesWholeTables {
public:
    CopiesWholeTables();
    ~CopiesWholeTables();
    CopiesWholeTables(const CopiesWholeTables&) = delete;
    CopiesWholeTables& operator=(const CopiesWholeTables&) = delete;
};

}  // namespace merpati::store::sqlite
