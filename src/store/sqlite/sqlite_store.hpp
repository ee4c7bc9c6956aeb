// The SQLite engine: one file, one writing connection, WAL with full sync.
#pragma once

#include <filesystem>
#include <memory>

#include "store/integrity.hpp"
#include "store/store.hpp"

namespace merpati::store::sqlite {

/// Opens `path`; see open_store for errors. Its locks (store_lock.hpp) are held for the store's
/// life, so that whatever an earlier process left in flight is nobody's but ours.
[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::filesystem::path& path,
                                                  const StoreOptions& options);

/// SQLite's own look at its pages; see store/integrity.hpp.
[[nodiscard]] Result<Integrity> check_integrity(const std::filesystem::path& path, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds longest);

}  // namespace merpati::store::sqlite
