#include "store/postgres/durability.hpp"

#include <fmt/format.h>

namespace merpati::store::postgres {

Result<void> check_durability(Connection& connection, bool must_sync) {
    const auto setting = [&](const char* name) {
        return connection.query_text(fmt::format("SELECT current_setting('{}')", name).c_str());
    };
    const auto commit = setting("synchronous_commit");
    const auto fsync = setting("fsync");
    if (commit == "off" || (fsync == "off" && must_sync)) {
        return fail(ErrorCode::store_failed,
                    fmt::format("the store cannot be made durable here: synchronous_commit of the "
                                "database is '{}' and fsync of its server '{}'",
                                commit, fsync));
    }
    return {};
}

}  // namespace merpati::store::postgres
