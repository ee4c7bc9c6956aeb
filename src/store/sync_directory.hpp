// Making a new file's name as durable as its content.
#pragma once

#include <filesystem>

namespace merpati::store {

/// Syncs the directory that holds `file`. False: it could not; errno says why.
[[nodiscard]] bool sync_directory_of(const std::filesystem::path& file);

}  // namespace merpati::store
