// Inserts rows of one table, several with one statement.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Operation: `run` inserts groups of `size` rows with one statement each, and the rest one by one.
/// In SQLite a statement begins and ends at about the cost of a small row. A group that fails is
/// not undone by itself (Connection::or_fail): its transaction or savepoint is.
///
/// Threads: one, that of its connection.
class GroupedInsert {
public:
    static constexpr std::size_t size = 8;

    /// "INSERT INTO `table` VALUES `row` `ending`"; the arguments of `row` are `?`.
    GroupedInsert(Connection& connection, const std::string& table, const std::string& row,
                  const std::string& ending = "")
        : one_(connection, "INSERT INTO " + table + " VALUES" + row + ending),
          group_(connection, "INSERT" + std::string{connection.or_fail()} + " INTO " + table +
                                 " VALUES" + repeated(row) + ending) {}

    /// Calls `write(insert, element)` for each element, which calls `insert` with the arguments of
    /// its row. Texts and bytes among them live as long as the elements. Throws Failure: some of
    /// the rows may be inserted then.
    template <class Element, class Write>
    void run(std::span<const Element* const> elements, Write write) {
        for (; elements.size() >= size; elements = elements.subspan(size)) {
            int place = 0;
            for (const auto* element : elements.first(size)) {
                write(
                    [&](const auto&... arguments) {
                        place = group_.bind_after(place, arguments...);
                    },
                    *element);
            }
            group_.run();
        }
        for (const auto* element : elements) {
            write([&](const auto&... arguments) { one_.run(arguments...); }, *element);
        }
    }

    /// Inserts one row.
    template <class... Arguments>
    void run_one(const Arguments&... arguments) {
        one_.run(arguments...);
    }

private:
    [[nodiscard]] static std::string repeated(std::string_view row) {
        std::string rows{row};
        for (std::size_t count = 1; count < size; ++count) {
            rows.append(",").append(row);
        }
        return rows;
    }

    Statement one_;
    Statement group_;
};

}  // namespace merpati::store::sql
