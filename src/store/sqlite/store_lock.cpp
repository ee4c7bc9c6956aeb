#include "store/sqlite/store_lock.hpp"

#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "store/lock_file.hpp"

namespace merpati::store::sqlite {
namespace {

/// Fails with not_found unless there is a store; an empty file is none.
Result<void> find(const std::filesystem::path& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error && error != std::errc::no_such_file_or_directory) {
        return fail(ErrorCode::io_failed, fmt::format("cannot look at the store's file {}: {}",
                                                      path.string(), error.message()));
    }
    if (error || size == 0) {
        return fail(ErrorCode::not_found,
                    fmt::format("there is no store at {}: check store.url and the folder it is "
                                "relative to",
                                std::filesystem::absolute(path).string()));
    }
    return {};
}

}  // namespace

Result<StoreLock> StoreLock::take(const std::filesystem::path& path, bool create) {
    if (!create) {
        if (auto found = find(path); !found) {
            return pass(found);
        }
    }
    auto beside = lock_file(path.string() + ".lock", true);
    if (!beside) {
        return pass(beside);
    }
    auto database = lock_file(path.string(), create);
    if (!database) {
        return pass(database);
    }
    struct stat status{};
    if (::fstat(database->get(), &status) == 0 && status.st_nlink > 1) {
        return fail(ErrorCode::refused,
                    fmt::format("{} has {} names (hard links); under each SQLite would keep a log "
                                "of its own, and the store would be lost: remove the others",
                                path.string(), status.st_nlink));
    }
    return StoreLock{*std::move(beside), *std::move(database)};
}

}  // namespace merpati::store::sqlite
