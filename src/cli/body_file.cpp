#include "cli/body_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace merpati::cli {
namespace {

std::unexpected<Error> unreadable(const std::string& name) {
    const int reason = errno;
    return fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed,
                fmt::format("{}: {}", name, std::generic_category().message(reason)));
}

}  // namespace

Result<BodyFile> BodyFile::open(const std::string& path) {
    const bool is_input = path == "-";
    FileDescriptor file{is_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    const std::string name = is_input ? "standard input" : path;
    if (!file) {
        return unreadable(name);
    }
    return BodyFile{std::move(file), name};
}

BodyFile::BodyFile(FileDescriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
    struct stat facts{};
    if (::fstat(file_.get(), &facts) == 0 && S_ISREG(facts.st_mode)) {
        size_ = static_cast<std::uint64_t>(facts.st_size);
    }
}

Result<std::string> BodyFile::next() {
    std::string piece(piece_max, '\0');
    for (;;) {
        const ssize_t size = ::read(file_.get(), piece.data(), piece.size());
        if (size >= 0) {
            piece.resize(static_cast<std::size_t>(size));
            given_ += piece.size();
            return piece;
        }
        if (errno != EINTR) {
            return unreadable(name_);
        }
    }
}

}  // namespace merpati::cli
