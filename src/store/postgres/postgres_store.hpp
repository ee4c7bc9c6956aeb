// The store in PostgreSQL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/store.hpp"

namespace merpati::store::postgres {

/// Opens a store by a URL "postgresql://…"; see open_store for errors. `key_file` has no default:
/// every node has the same key, and no file beside the store.
[[nodiscard]] Result<std::unique_ptr<Store>> open(const StoreOptions& options);

/// See store::check_integrity. Pages are the server's to check. Each of the few queries may take
/// `time_max`.
[[nodiscard]] Result<Integrity> check_integrity(const std::string& url,
                                                std::chrono::milliseconds time_max);

}  // namespace merpati::store::postgres
