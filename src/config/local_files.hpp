// The files of a server's own that lie beside its store.
#pragma once

#include <string>

#include "config/settings.hpp"

namespace merpati::config {

/// The path to which the names of these files are appended, such as "-media": the SQLite file's.
/// With PostgreSQL, whose store is on another machine perhaps, "merpati" in store.folder.
[[nodiscard]] std::string local_files(const StoreSettings& store);

/// The path of the server's management socket, for the command line of the same machine.
[[nodiscard]] std::string local_socket_path(const StoreSettings& store);

}  // namespace merpati::config
