// SQLite's look at its own pages.
#pragma once

#include <filesystem>

#include "store/integrity.hpp"

namespace merpati::store::sqlite {

/// See store/integrity.hpp.
[[nodiscard]] Result<Integrity> check_integrity(const std::filesystem::path& path, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds longest);

}  // namespace merpati::store::sqlite
