// An SQLite file as one side of a copy.
#pragma once

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "store/sql/copy_side.hpp"

namespace merpati::store::sqlite {

/// Opens the file for a copy (sql/copy_side.hpp), and holds its lock meanwhile. Errors: those of
/// sqlite::open. Throws Failure.
[[nodiscard]] Result<std::unique_ptr<sql::CopySide>> open_to_copy(const std::filesystem::path& path,
                                                                  sql::CopyRole role);

}  // namespace merpati::store::sqlite
