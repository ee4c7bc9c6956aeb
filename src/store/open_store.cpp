#include <fmt/format.h>

#include "store/sqlite/sqlite_store.hpp"
#include "store/store.hpp"

namespace merpati::store {

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
    static constexpr std::string_view sqlite_scheme = "sqlite:";
    const std::string_view url = options.url;
    if (url.starts_with(sqlite_scheme) && url.size() > sqlite_scheme.size()) {
        return sqlite::open(std::filesystem::path{url.substr(sqlite_scheme.size())}, options);
    }
    // Only the scheme is shown: what follows may hold a password.
    return fail(ErrorCode::invalid_argument,
                fmt::format("store.url '{}…' is not a store this program can open: use "
                            "sqlite:PATH, for example sqlite:merpati.db",
                            url.substr(0, url.find(':'))));
}

}  // namespace merpati::store
