#include "store/postgres/failures.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace merpati::store::postgres {
namespace {

/// Whole classes: the first two characters of an SQLSTATE.
constexpr std::string_view constraint_class = "23";
constexpr std::string_view connection_class = "08";

/// The server stops or has stopped, has no connection left, is a standby now, or has ended a
/// transaction that was idle.
constexpr std::array<std::string_view, 9> unavailable_states{
    "57P01", "57P02", "57P03", "57P04", "57P05", "53200", "53300", "25006", "25P03"};

/// A lock was waited for in vain, or an operator cancelled the statement.
constexpr std::array<std::string_view, 2> busy_states{"55P03", "57014"};

/// A failure to serialize, or a deadlock: the server has ended the transaction for another one.
constexpr std::array<std::string_view, 2> collision_states{"40001", "40P01"};

constexpr std::array<std::string_view, 2> damage_states{"XX001", "XX002"};

bool is_one_of(std::span<const std::string_view> states, std::string_view sqlstate) {
    return std::ranges::find(states, sqlstate) != states.end();
}

std::string_view field_of(const PGresult* result, int field) {
    const auto* value = PQresultErrorField(result, field);
    return value == nullptr ? std::string_view{} : value;
}

}  // namespace

sql::Failure::Kind kind_of(std::string_view sqlstate) noexcept {
    using Kind = sql::Failure::Kind;
    if (sqlstate.empty() || sqlstate.starts_with(connection_class) ||
        is_one_of(unavailable_states, sqlstate)) {
        return Kind::unavailable;
    }
    if (sqlstate.starts_with(constraint_class)) {
        return Kind::constraint;
    }
    if (sqlstate == "53100") {
        return Kind::no_room;
    }
    if (is_one_of(busy_states, sqlstate)) {
        return Kind::busy;
    }
    if (is_one_of(collision_states, sqlstate)) {
        return Kind::collision;
    }
    return is_one_of(damage_states, sqlstate) ? Kind::damage : Kind::failed;
}

sql::Failure failure_of(const PGresult* result) {
    const auto sqlstate = field_of(result, PG_DIAG_SQLSTATE);
    const auto message = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
    return {kind_of(sqlstate), fmt::format("postgresql: {} ({})",
                                           message.empty() ? "the connection was lost" : message,
                                           sqlstate.empty() ? "no SQLSTATE" : sqlstate)};
}

}  // namespace merpati::store::postgres
