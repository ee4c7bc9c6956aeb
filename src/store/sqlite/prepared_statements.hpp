// The statements of one connection that nobody uses now.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include <sqlite3.h>

namespace merpati::store::sqlite {

/// Keeps statements for the next use of the same SQL, because to compile one takes longer than to
/// execute it.
///
/// Limits: `kept_max`; a further one takes the place of another.
///
/// Threads: the connection's.
class PreparedStatements {
public:
    static constexpr std::size_t kept_max = 256;

    PreparedStatements() = default;
    ~PreparedStatements() { clear(); }
    PreparedStatements(const PreparedStatements&) = delete;
    PreparedStatements& operator=(const PreparedStatements&) = delete;

    /// A statement of this SQL, which the caller owns from now on; null: none is kept.
    [[nodiscard]] sqlite3_stmt* take(std::string_view sql) {
        const auto found = kept_.find(sql);
        if (found == kept_.end()) {
            return nullptr;
        }
        auto* const statement = found->second;
        kept_.erase(found);
        return statement;
    }

    /// Keeps a statement, which may be in the middle of its rows.
    void keep(sqlite3_stmt* statement) {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        if (kept_.size() >= kept_max) {
            const auto other = kept_.begin();
            auto* const dropped = other->second;
            kept_.erase(other);  // Before its key, which is the statement's own text.
            sqlite3_finalize(dropped);
        }
        kept_.emplace(sqlite3_sql(statement), statement);
    }

    void clear() {
        for (const auto& [sql, statement] : kept_) {
            sqlite3_finalize(statement);
        }
        kept_.clear();
    }

private:
    std::unordered_multimap<std::string_view, sqlite3_stmt*> kept_;  // By their own text.
};

}  // namespace merpati::store::sqlite
