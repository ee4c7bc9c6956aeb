// The key file of a store.
#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "store/secret_box.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

struct StoreKey {
    SecretBox secrets;
    bool check_damaged =
        false;  // The check of the key was lost, and is written again if it can be.
};

/// Opens the key file of a store, or creates it for a store that holds no secrets.
///
/// Operation: a row of `meta` holds a word that only the store's key opens. If that row is missing
/// or damaged, a key that opens the secret of any account or person is the right one. Of nodes that
/// begin a store at once with different keys, one succeeds.
///
/// Errors: conflict (the file is missing or malformed, or opens nothing of this store), io_failed;
/// each detail names the file. Throws Failure.
[[nodiscard]] Result<StoreKey> open_key(Connection& connection,
                                        const std::filesystem::path& key_file);

/// Whether the file is the store's key file, without creating or writing anything. For a store
/// without secrets it may be missing. Errors: as open_key.
[[nodiscard]] Result<void> check_key(Connection& connection, const std::filesystem::path& key_file);

}  // namespace merpati::store::sql
