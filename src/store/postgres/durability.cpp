#include "store/postgres/durability.hpp"

#include <fmt/format.h>

#include "store/postgres/connection.hpp"

namespace merpati::store::postgres {

std::string Durability::text() const {
    return fmt::format("synchronous_commit of the database is '{}' and fsync of its server '{}'",
                       synchronous_commit, fsync);
}

Result<void> check_durability(Connection& connection, bool must_sync) {
    if (const auto& server = connection.durability(); !server.suffices(must_sync)) {
        return fail(ErrorCode::store_failed,
                    fmt::format("the store cannot be made durable here: {}", server.text()));
    }
    connection.demand_durability(must_sync);
    return {};
}

}  // namespace merpati::store::postgres
