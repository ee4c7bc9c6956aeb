// Whether a server keeps what it acknowledges.
#pragma once

#include <string>

#include "base/error.hpp"

namespace merpati::store::postgres {

class Connection;

/// What a server says of the commits of a session: the values of the settings with these names.
struct Durability {
    std::string synchronous_commit;
    std::string fsync;

    /// False: it acknowledges what it may lose. `must_sync` false: it may run without syncing, for
    /// tests.
    [[nodiscard]] bool suffices(bool must_sync) const {
        return synchronous_commit != "off" && (fsync != "off" || !must_sync);
    }
    /// For operators.
    [[nodiscard]] std::string text() const;
};

/// A server that acknowledges what it may lose must not be trusted with messages. From then on the
/// connection's later sessions are checked too: Connection::demand_durability. Errors:
/// store_failed. Throws Failure.
[[nodiscard]] Result<void> check_durability(Connection& connection, bool must_sync);

}  // namespace merpati::store::postgres
