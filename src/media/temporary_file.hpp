// A file that its destructor removes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <sys/types.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::media {

inline constexpr mode_t owner_only = 0600;

/// Operation: the file is created empty, and written and read through the descriptor that created
/// it, even if another file takes its path later. The destructor removes the path, unless `move_to`
/// has moved it. Nothing is flushed to the disk.
///
/// Threads: one at a time. Errors: io_failed.
class TemporaryFile {
public:
    /// `mode` is not reduced by the umask. Also fails if `path` exists.
    [[nodiscard]] static Result<TemporaryFile> create(std::filesystem::path path, mode_t mode);

    ~TemporaryFile() { remove(); }
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    /// Empty once removed or moved.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    /// Appends.
    [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
    /// Returns the number of bytes read, which is smaller than asked for only at the file's end.
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> bytes) const;
    [[nodiscard]] Result<std::uint64_t> size() const;

    /// Truncates the file to nothing, also for other processes that have it open.
    [[nodiscard]] Result<void> empty();
    [[nodiscard]] Result<void> move_to(const std::filesystem::path& path);
    void remove();

    /// Removes the path, and takes from the group the right to open the file. Returns whether the
    /// file is now ours alone: false if another process has it open, or if it has another link. On
    /// a file system without leases, other open descriptors are not noticed.
    [[nodiscard]] Result<bool> withdraw();

private:
    TemporaryFile(std::filesystem::path path, FileDescriptor file)
        : path_(std::move(path)), file_(std::move(file)) {}

    std::filesystem::path path_;
    FileDescriptor file_;
};

}  // namespace merpati::media
