#include "store/sql/connection.hpp"

#include "base/utf8.hpp"

namespace merpati::store::sql {

std::string Connection::query_text(const char* sql) {
    Statement statement{*this, sql};
    auto cursor = statement.query();
    return cursor.next() ? std::string{cursor.text(0)} : std::string{};
}

std::int64_t Cursor::between(int column, std::int64_t lowest, std::int64_t highest) const {
    const auto value = integer(column);
    if (value < lowest || value > highest) {
        throw_damaged(column, "holds a number that nothing writes");
    }
    return value;
}

std::string_view Cursor::text(int column) const {
    const auto text = statement_->text(column);
    if (!is_utf8(text)) {
        throw_damaged(column, "holds a text that is not UTF-8");
    }
    return text;
}

void Cursor::throw_damaged(int column, const char* what) const {
    throw Failure{Failure::Kind::damage, "column " + statement_->name_of(column) + ' ' + what};
}

}  // namespace merpati::store::sql
