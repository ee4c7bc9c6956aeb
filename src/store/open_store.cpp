#include <fmt/format.h>

#include "model/store_url.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/store.hpp"

namespace merpati::store {
namespace {

std::unexpected<Error> unknown_engine(std::string_view url) {
    // Only the scheme is shown, because the rest may hold a password.
    return fail(ErrorCode::invalid_argument,
                fmt::format("store.url '{}…' is not a store this program can open: use "
                            "sqlite:PATH, for example sqlite:merpati.db, or "
                            "postgresql://USER@HOST/DATABASE",
                            url.substr(0, url.find(':'))));
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
    if (model::is_postgresql(options.url)) {
        return postgres::open(options);
    }
    const auto path = model::sqlite_file(options.url);
    return path ? sqlite::open(*path, options) : unknown_engine(options.url);
}

Result<Integrity> check_integrity(const std::string& url, Depth depth, const Clock& clock,
                                  std::chrono::milliseconds time_max) {
    if (model::is_postgresql(url)) {
        return postgres::check_integrity(url, time_max);
    }
    const auto path = model::sqlite_file(url);
    return path ? sqlite::check_integrity(*path, depth, clock, time_max) : unknown_engine(url);
}

}  // namespace merpati::store
