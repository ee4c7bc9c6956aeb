// The time of the database's clock, in its statements.
#pragma once

namespace merpati::store::postgres {

/// In milliseconds since 1970, at the moment of the expression.
inline constexpr const char* now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

}  // namespace merpati::store::postgres
