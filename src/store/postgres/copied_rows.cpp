#include "store/postgres/copied_rows.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "store/postgres/stored_text.hpp"

namespace merpati::store::postgres {
namespace {

using namespace std::string_view_literals;

// "Binary Format" of COPY in PostgreSQL's manual.
constexpr auto beginning_of_input = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv;
constexpr std::int16_t end_of_input = -1;
constexpr std::int32_t length_of_null = -1;

template <class Integer>
void append_big_endian(std::string& input, Integer value) {
    const auto sent = std::endian::native == std::endian::little ? std::byteswap(value) : value;
    std::array<char, sizeof sent> bytes{};
    std::memcpy(bytes.data(), &sent, sizeof sent);
    input.append(bytes.data(), bytes.size());
}

}  // namespace

CopiedRows::CopiedRows(Connection& connection, const sql::CopiedTable& table)
    : connection_(connection), table_(table), input_(beginning_of_input) {}

std::size_t CopiedRows::add(const sql::Cursor& row) {
    const auto before = input_.size();
    append_big_endian(input_, static_cast<std::int16_t>(table_.columns.size()));
    int column = 0;
    for (const auto& [name, kind] : table_.columns) {
        if (row.null(column)) {
            append_big_endian(input_, length_of_null);
        } else if (kind == sql::ValueKind::integer) {
            add_length(sizeof(std::int64_t));
            append_big_endian(input_, row.integer(column));
        } else if (kind == sql::ValueKind::text) {
            add_text(row.text(column));
        } else {
            const auto blob = row.blob(column);
            add_length(blob.size());
            input_.append(reinterpret_cast<const char*>(blob.data()), blob.size());
        }
        ++column;
    }
    return input_.size() - before;
}

void CopiedRows::finish() {
    append_big_endian(input_, end_of_input);
    connection_.copy_in(
        fmt::format("COPY {}({}) FROM STDIN (FORMAT binary)", table_.name, table_.column_list()),
        input_);
    input_ = beginning_of_input;
}

void CopiedRows::add_length(std::size_t bytes) {
    invariant(std::in_range<std::int32_t>(bytes), "a value has less than 2 GiB");
    append_big_endian(input_, static_cast<std::int32_t>(bytes));
}

void CopiedRows::add_text(std::string_view text) {
    if (must_encode(text)) {
        const auto stored = encoded(text);
        add_length(stored.size());
        input_ += stored;
    } else {
        add_length(text.size());
        input_ += text;
    }
}

}  // namespace merpati::store::postgres
