#include "store/sqlite/store_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace merpati::store::sqlite {
namespace {

/// Opens and locks one file.
Result<FileDescriptor> lock(const std::string& path, bool create) {
    FileDescriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600)};
    if (!file) {
        const int why = errno;
        return fail(why == ENOENT && !create ? ErrorCode::not_found : ErrorCode::io_failed,
                    fmt::format("cannot open the store's file {}: {}", path,
                                std::generic_category().message(why)));
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        return file;
    }
    const int why = errno;
    if (why != EWOULDBLOCK) {
        return fail(ErrorCode::io_failed,
                    fmt::format("cannot lock {}: {}", path, std::generic_category().message(why)));
    }
    return fail(ErrorCode::busy,
                fmt::format("another process has the store open ({} is locked)", path));
}

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
    auto lock_file = lock(path.string() + ".lock", true);
    if (!lock_file) {
        return pass(lock_file);
    }
    auto database = lock(path.string(), create);
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
    return StoreLock{*std::move(lock_file), *std::move(database)};
}

}  // namespace merpati::store::sqlite
