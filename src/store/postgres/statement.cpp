#include "store/postgres/statement.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "store/postgres/stored_text.hpp"

namespace merpati::store::postgres {
namespace {

// The types of columns, by their numbers in the catalogue of every server (pg_type.dat).
constexpr Oid boolean_type = 16;
constexpr Oid bigint_type = 20;
constexpr Oid smallint_type = 21;
constexpr Oid int_type = 23;

template <class Integer>
Integer big_endian(const char* bytes) {
    Integer value{};
    std::memcpy(&value, bytes, sizeof value);
    return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

bool is_integer(Oid type) {
    return type == bigint_type || type == int_type || type == smallint_type || type == boolean_type;
}

}  // namespace

void Statement::bind_null(int place, sql::ValueKind kind) {
    argument_at(place) = {.kind = kind};
}

void Statement::bind_integer(int place, std::int64_t value) {
    auto& argument = argument_at(place);
    auto& kept = kept_[static_cast<std::size_t>(place - 1)].integer;
    const auto sent = std::endian::native == std::endian::little ? std::byteswap(value) : value;
    std::memcpy(kept.data(), &sent, sizeof sent);
    argument = {.kind = sql::ValueKind::integer, .bytes = kept.data(), .size = sizeof sent};
}

void Statement::bind_text(int place, std::string_view text) {
    auto& argument = argument_at(place);
    if (must_encode(text)) {
        auto& kept = kept_[static_cast<std::size_t>(place - 1)].text;
        kept = encoded(text);
        text = kept;
    }
    argument = {.kind = sql::ValueKind::text,
                .bytes = text.data() == nullptr ? "" : text.data(),
                .size = static_cast<int>(text.size())};
}

void Statement::bind_bytes(int place, std::span<const std::byte> bytes) {
    argument_at(place) = {
        .kind = sql::ValueKind::bytes,
        .bytes = bytes.data() == nullptr ? "" : reinterpret_cast<const char*>(bytes.data()),
        .size = static_cast<int>(bytes.size())};
}

Argument& Statement::argument_at(int place) {
    const auto size = static_cast<std::size_t>(place);
    if (arguments_.size() < size) {
        arguments_.resize(size);
        kept_.resize(size);
    }
    return arguments_[size - 1];
}

void Statement::run() {
    connection_.run(*text_, arguments_);
}

void Statement::run_returning(std::optional<std::int64_t>& returned) {
    connection_.run(*text_, arguments_, &returned);
}

bool Statement::step() {
    if (!is_started_) {
        start();
    }
    texts_.clear();
    ++row_;
    if (row_ < PQntuples(result_.get())) {
        return true;
    }
    const bool has_more = !cursor_.empty() && PQntuples(result_.get()) == portion_;
    if (!has_more) {
        row_ = PQntuples(result_.get());  // Also for further calls.
        return false;
    }
    fetch();
    return PQntuples(result_.get()) > 0;
}

void Statement::start() {
    row_ = -1;
    if (rows_ == sql::Rows::few) {
        connection_.send(*text_, arguments_);
        result_ = connection_.receive();
    } else {
        cursor_ = connection_.take_cursor();
        connection_.send_once(
            fmt::format("DECLARE {} NO SCROLL CURSOR FOR {}", cursor_, text_->sql), arguments_);
        portion_ = 0;
        fetch();
        row_ = -1;
    }
    is_started_ = true;
}

void Statement::fetch() {
    portion_ = std::clamp(portion_ * 4, first_portion, largest_portion);
    connection_.send_once(fmt::format("FETCH {} FROM {}", portion_, cursor_), {});
    result_ = connection_.receive();
    row_ = 0;
}

void Statement::reset() noexcept {
    result_.reset();
    texts_.clear();
    is_started_ = false;
    if (!cursor_.empty()) {
        connection_.give_back_cursor(cursor_);
        cursor_.clear();
    }
}

bool Statement::is_null(int column) const {
    return PQgetisnull(result_.get(), row_, column) == 1;
}

std::int64_t Statement::integer(int column) const {
    return integer_of(result_.get(), row_, column);
}

std::int64_t Statement::integer_of(const PGresult* result, int row, int column) {
    if (PQgetisnull(result, row, column) == 1) {
        return 0;
    }
    const char* bytes = PQgetvalue(result, row, column);
    switch (PQftype(result, column)) {
        case bigint_type:
            return big_endian<std::int64_t>(bytes);
        case int_type:
            return big_endian<std::int32_t>(bytes);
        case smallint_type:
            return big_endian<std::int16_t>(bytes);
        case boolean_type:
            return *bytes;
        default:
            throw sql::Failure{
                sql::Failure::Kind::failed,
                fmt::format("postgresql: column {} is no integer", PQfname(result, column))};
    }
}

std::string_view Statement::text(int column) const {
    const auto bytes = value(column);
    if (is_null(column)) {
        return {};
    }
    if (is_integer(PQftype(result_.get(), column))) {
        return texts_.emplace_back(std::to_string(integer(column)));
    }
    return is_encoded(bytes) ? std::string_view{texts_.emplace_back(decoded(bytes))} : bytes;
}

std::span<const std::byte> Statement::bytes(int column) const {
    return std::as_bytes(std::span{value(column)});
}

std::string Statement::name_of(int column) const {
    const auto* name = PQfname(result_.get(), column);
    return name == nullptr ? "?" : name;
}

std::string_view Statement::value(int column) const {
    return {PQgetvalue(result_.get(), row_, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
}

}  // namespace merpati::store::postgres
