// A database of PostgreSQL as one side of a copy.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/sql/copy_side.hpp"

namespace merpati::store::postgres {

struct CopiedDatabaseOptions {
    Millis lease;    // A node that was silent for longer is deposed.
    bool must_sync;  // As in StoreOptions.
};

/// Opens the database for a copy (sql/copy_side.hpp). Errors: those of postgres::open; busy (a node
/// is at work there). Throws Failure.
[[nodiscard]] Result<std::unique_ptr<sql::CopySide>> open_to_copy(
    std::string_view url, sql::CopyRole role, const CopiedDatabaseOptions& options);

}  // namespace merpati::store::postgres
