#include "store/sqlite/writer_settings.hpp"

#include <fmt/format.h>

namespace merpati::store::sqlite {

Result<void> prepare_writer(Connection& connection) {
    connection.execute(
        "PRAGMA cache_size = -24576; PRAGMA temp_store = MEMORY;"
        "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864;"
        // Overwrites deleted content if that needs no extra write. Debian's default writes every
        // page that becomes free.
        "PRAGMA secure_delete = FAST");
    const auto journal = connection.query_text("PRAGMA journal_mode = WAL");
    // Checkpoints are explicit, because SQLite does not report failures of automatic checkpoints.
    connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
    const auto synchronous = connection.query_text("PRAGMA synchronous");
    if (journal != "wal" || synchronous != "2") {
        return fail(ErrorCode::store_failed,
                    fmt::format("the store cannot be made durable here: journal_mode is '{}' and "
                                "synchronous '{}' (network file systems cannot hold a store)",
                                journal, synchronous));
    }
    return {};
}

}  // namespace merpati::store::sqlite
