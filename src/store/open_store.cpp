#include <optional>

#include <fmt/format.h>

#include "store/integrity.hpp"
#include "store/sqlite/integrity.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/store.hpp"

namespace merpati::store {
namespace {

std::optional<std::filesystem::path> sqlite_path(std::string_view url) {
    static constexpr std::string_view scheme = "sqlite:";
    return url.starts_with(scheme) && url.size() > scheme.size()
               ? std::optional{std::filesystem::path{url.substr(scheme.size())}}
               : std::nullopt;
}

std::unexpected<Error> unknown_engine(std::string_view url) {
    // Only the scheme is shown: what follows may hold a password.
    return fail(ErrorCode::invalid_argument,
                fmt::format("store.url '{}…' is not a store this program can open: use "
                            "sqlite:PATH, for example sqlite:merpati.db",
                            url.substr(0, url.find(':'))));
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
    const auto path = sqlite_path(options.url);
    return path ? sqlite::open(*path, options) : unknown_engine(options.url);
}

Result<Integrity> check_integrity(const std::string& url, Depth depth, const Clock& clock,
                                  std::chrono::milliseconds longest) {
    const auto path = sqlite_path(url);
    return path ? sqlite::check_integrity(*path, depth, clock, longest) : unknown_engine(url);
}

}  // namespace merpati::store
