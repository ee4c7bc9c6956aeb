// The SQLite engine: one file, one writing connection, WAL with full sync.
#pragma once

#include <filesystem>
#include <memory>

#include "store/store.hpp"

namespace merpati::store::sqlite {

/// Opens `path`; see open_store for errors. It is locked (store_lock.hpp) for the store's life, so
/// what an earlier process left in flight belongs to this one.
[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::filesystem::path& path,
                                                  const StoreOptions& options);

/// See store::check_integrity.
[[nodiscard]] Result<Integrity> check_integrity(const std::filesystem::path& path, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds time_max);

}  // namespace merpati::store::sqlite
