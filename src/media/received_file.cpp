#include "media/received_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace merpati::media {
namespace {

std::unexpected<Error> io_failure(const char* what) {
    return fail(ErrorCode::io_failed,
                std::string{what} + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<std::shared_ptr<ReceivedFile>> ReceivedFile::create(std::filesystem::path path,
                                                           mode_t mode) {
    FileDescriptor file{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file || ::fchmod(file.get(), mode) != 0) {
        return io_failure("a file for received media cannot be made");
    }
    return std::shared_ptr<ReceivedFile>{new ReceivedFile{std::move(path), std::move(file)}};
}

void ReceivedFile::close() {
    if (!path_.empty()) {
        ::unlink(path_.c_str());
        path_.clear();
    }
}

Result<std::uint64_t> ReceivedFile::size() const {
    struct stat found{};
    if (::fstat(file_.get(), &found) != 0) {
        return io_failure("received media cannot be looked at");
    }
    return static_cast<std::uint64_t>(found.st_size);
}

Result<std::string> ReceivedFile::read(std::uint64_t offset, std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes) {
        const auto got = ::pread(file_.get(), text.data() + size, bytes - size,
                                 static_cast<off_t>(offset + size));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return io_failure("received media cannot be read");
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
}

}  // namespace merpati::media
