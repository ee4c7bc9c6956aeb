// The generation that this node had before its process ended, in a file.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "store/nodes.hpp"

namespace merpati::cluster {

/// The file is beside the lock that one process of the machine holds (StoreOptions::lock_file).
/// Whoever holds the lock therefore knows that the generation in the file is dead, need not wait
/// for the end of its lease, and deposes it. A file that is missing, or is not one, says nothing.
[[nodiscard]] std::optional<store::NodeGeneration> read_former_life(const std::string& file);

/// Replaces the file. It need not survive a power cut: then the lease is waited for. Errors:
/// io_failed.
[[nodiscard]] Result<void> write_life(const std::string& file, const store::NodeGeneration& life);

}  // namespace merpati::cluster
