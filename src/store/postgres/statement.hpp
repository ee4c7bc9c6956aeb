// A prepared statement of PostgreSQL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

/// See sql::DriverStatement.
///
/// Operation: a query with few rows is received whole. One with many has a cursor of the server,
/// from which portions are fetched, small ones first.
class Statement final : public sql::DriverStatement {
public:
    Statement(Connection& connection, std::shared_ptr<PreparedText> text, sql::Rows rows)
        : connection_(connection), text_(std::move(text)), rows_(rows) {}
    ~Statement() override { reset(); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind_null(int place, sql::ValueKind kind) override;
    void bind_integer(int place, std::int64_t value) override;
    void bind_text(int place, std::string_view text) override;
    void bind_bytes(int place, std::span<const std::byte> bytes) override;
    void run() override;
    void run_returning(std::optional<std::int64_t>& returned) override;
    [[nodiscard]] bool step() override;
    void reset() noexcept override;
    [[nodiscard]] bool is_null(int column) const override;
    [[nodiscard]] std::int64_t integer(int column) const override;
    [[nodiscard]] std::string_view text(int column) const override;
    [[nodiscard]] std::span<const std::byte> bytes(int column) const override;
    [[nodiscard]] std::string name_of(int column) const override;

    /// An integer or a boolean of a result; 0 for NULL. Throws Failure for another type.
    [[nodiscard]] static std::int64_t integer_of(const PGresult* result, int row, int column);

private:
    static constexpr int first_portion = 64;
    static constexpr int largest_portion = 1'024;

    /// What an argument's bytes are kept in, where they are not the caller's.
    struct Kept {
        std::array<char, sizeof(std::int64_t)> integer{};
        std::string text{};
    };

    Argument& argument_at(int place);
    void start();
    void fetch();
    [[nodiscard]] std::string_view value(int column) const;

    Connection& connection_;
    const std::shared_ptr<PreparedText> text_;
    const sql::Rows rows_;
    std::vector<Argument> arguments_;
    std::deque<Kept> kept_;  // Their addresses stay.
    ResultPointer result_;   // The rows of the portion.
    int row_ = -1;
    bool is_started_ = false;
    std::string cursor_;                     // "": none.
    int portion_ = 0;                        // How many rows were asked for last.
    mutable std::deque<std::string> texts_;  // Of this row, where the server's bytes are others.
};

}  // namespace merpati::store::postgres
