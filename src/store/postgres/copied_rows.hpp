// Rows in the binary form of PostgreSQL's COPY.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/postgres/connection.hpp"
#include "store/sql/copy_side.hpp"

namespace merpati::store::postgres {

/// Operation: gathers the rows in memory, and hands them to the server in `finish`, with one
/// command. A row costs the server a fraction of what an INSERT does.
///
/// Threads: one.
class CopiedRows final : public sql::RowInserter {
public:
    CopiedRows(Connection& connection, const sql::CopiedTable& table);

    std::size_t add(const sql::Cursor& row) override;
    void finish() override;

private:
    void add_length(std::size_t bytes);
    void add_text(std::string_view text);

    Connection& connection_;
    const sql::CopiedTable& table_;
    std::string input_;
};

}  // namespace merpati::store::postgres
