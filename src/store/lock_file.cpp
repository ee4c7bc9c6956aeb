#include "store/lock_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>

#include <fmt/format.h>

namespace merpati::store {

Result<FileDescriptor> lock_file(const std::string& path, bool create) {
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

}  // namespace merpati::store
