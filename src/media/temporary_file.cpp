#include "media/temporary_file.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace merpati::media {
namespace {

std::unexpected<Error> file_failure(const char* what) {
    return fail(ErrorCode::io_failed, std::string{"a media file cannot be "} + what + ": " +
                                          std::generic_category().message(errno));
}

/// Whether the file has another open description. A write lease is then refused (fcntl(2)).
bool is_open_elsewhere(int file) {
    // If another process opens the file meanwhile, the kernel sends us this signal, which is
    // ignored by default. The default signal, SIGIO, would end the process.
    if (::fcntl(file, F_SETSIG, SIGURG) != 0 || ::fcntl(file, F_SETLEASE, F_WRLCK) != 0) {
        return errno == EAGAIN;
    }
    ::fcntl(file, F_SETLEASE, F_UNLCK);
    return false;
}

}  // namespace

Result<TemporaryFile> TemporaryFile::create(std::filesystem::path path, mode_t mode) {
    FileDescriptor file{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_only)};
    if (!file) {
        return file_failure("made");
    }
    TemporaryFile made{std::move(path), std::move(file)};
    if (::fchmod(made.file_.get(), mode) != 0) {
        return file_failure("made");
    }
    return made;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

Result<void> TemporaryFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return file_failure("written");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::size_t> TemporaryFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    std::size_t size = 0;
    while (size < bytes.size()) {
        const auto got = ::pread(file_.get(), bytes.data() + size, bytes.size() - size,
                                 static_cast<off_t>(offset + size));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return file_failure("read");
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    return size;
}

Result<std::uint64_t> TemporaryFile::size() const {
    struct stat found{};
    if (::fstat(file_.get(), &found) != 0) {
        return file_failure("looked at");
    }
    return static_cast<std::uint64_t>(found.st_size);
}

Result<void> TemporaryFile::empty() {
    return ::ftruncate(file_.get(), 0) == 0 ? Result<void>{} : file_failure("emptied");
}

Result<void> TemporaryFile::move_to(const std::filesystem::path& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) {
        return file_failure("renamed");
    }
    path_.clear();
    return {};
}

void TemporaryFile::remove() {
    if (!path_.empty()) {
        ::unlink(path_.c_str());
        path_.clear();
    }
}

Result<bool> TemporaryFile::withdraw() {
    remove();
    struct stat found{};
    // Another process could reopen the file through an O_PATH descriptor, if its mode allowed it.
    if (::fchmod(file_.get(), owner_only) != 0 || ::fstat(file_.get(), &found) != 0) {
        return file_failure("withdrawn");
    }
    return found.st_nlink == 0 && !is_open_elsewhere(file_.get());
}

}  // namespace merpati::media
