// The SQLite engine: one file, one writing connection, WAL with full sync.
#pragma once

#include <filesystem>
#include <memory>

#include "store/store.hpp"

namespace merpati::store::sqlite {

/// Opens `path`; see open_store for errors. The file is locked (store_lock.hpp) for the store's
/// life, so messages that an earlier process left in flight belong to this process.
[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::filesystem::path& path,
                                                  const StoreOptions& options);

/// See store::check_integrity.
[[nodiscard]] Result<Integrity> check_integrity(const std::filesystem::path& path, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds time_max);

}  // namespace merpati::store::sqlite
