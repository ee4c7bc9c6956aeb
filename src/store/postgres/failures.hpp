// What errors of PostgreSQL mean for the engine.
#pragma once

#include <string_view>

#include <libpq-fe.h>

#include "store/sql/failure.hpp"

namespace merpati::store::postgres {

/// The kind of an error with this SQLSTATE (appendix A of PostgreSQL's manual); "": the connection
/// was lost.
[[nodiscard]] sql::Failure::Kind kind_of(std::string_view sqlstate) noexcept;

/// The failure of a command. Its text has no values of rows: of the server's report, it has the
/// primary message alone.
[[nodiscard]] sql::Failure failure_of(const PGresult* result);

}  // namespace merpati::store::postgres
