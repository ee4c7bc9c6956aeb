// SQL with PostgreSQL's numbers of arguments.
#pragma once

#include <string>
#include <string_view>

namespace merpati::store::postgres {

/// Writes `$1`, `$2`… for the arguments `?` (in order) or `?1`, `?2`… of `sql`, except in quoted
/// literals and names.
[[nodiscard]] std::string numbered_sql(std::string_view sql);

}  // namespace merpati::store::postgres
