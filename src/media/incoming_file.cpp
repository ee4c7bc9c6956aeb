#include "media/incoming_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace merpati::media {
namespace {

std::unexpected<Error> io_failure(const char* what) {
    return fail(ErrorCode::io_failed,
                std::string{what} + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<IncomingFile> IncomingFile::create(std::filesystem::path path) {
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return io_failure("a media file cannot be made");
    }
    return IncomingFile{std::move(path), descriptor};
}

IncomingFile::IncomingFile(IncomingFile&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_),
      digest_(std::move(other.digest_)) {}

IncomingFile::~IncomingFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!path_.empty()) {
        ::unlink(path_.c_str());
    }
}

Result<void> IncomingFile::put(std::span<const std::byte> bytes) {
    digest_.add(bytes);
    bytes_ += bytes.size();
    while (!bytes.empty()) {
        const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return io_failure("a media file cannot be written");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::vector<std::byte>> IncomingFile::head(std::size_t bytes_max) const {
    std::vector<std::byte> bytes(bytes_max);
    std::size_t size = 0;
    while (size < bytes.size()) {
        const auto got = ::pread(descriptor_, bytes.data() + size, bytes.size() - size,
                                 static_cast<off_t>(size));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return io_failure("a media file cannot be read back");
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    bytes.resize(size);
    return bytes;
}

std::string IncomingFile::sha256() {
    return to_hex(digest_.finish());
}

Result<void> IncomingFile::move_to(const std::filesystem::path& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) {
        return io_failure("a media file cannot be renamed");
    }
    path_.clear();
    return {};
}

}  // namespace merpati::media
