// Makes the name of a new file durable.
#pragma once

#include <filesystem>

namespace merpati::store {

/// Syncs the directory that holds `file`. False: failed; see errno.
[[nodiscard]] bool sync_directory_of(const std::filesystem::path& file);

}  // namespace merpati::store
