// A file that goes with its object.
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

/// Operation: made empty, written and read by the descriptor that it was made with, whatever stands
/// at its path later. Its name is removed with the object, unless `move_to` gave it another one.
/// Nothing is flushed to the disk.
///
/// Threads: one at a time. Errors: io_failed.
class TemporaryFile {
public:
    /// Whatever the mask of modes. Fails also if `path` exists.
    [[nodiscard]] static Result<TemporaryFile> create(std::filesystem::path path, mode_t mode);

    ~TemporaryFile() { remove(); }
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    /// Empty: removed, or moved.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    /// At its end.
    [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
    /// How many bytes were read: fewer than asked for at the file's end alone.
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> bytes) const;
    [[nodiscard]] Result<std::uint64_t> size() const;

    /// Takes all that is in it, also from whoever else has it open.
    [[nodiscard]] Result<void> empty();
    [[nodiscard]] Result<void> move_to(const std::filesystem::path& path);
    void remove();

    /// Removes it, and takes from the group the right to open it. Answers whether it is ours alone
    /// from now on: false where another has it open, or by another name. A file system without
    /// leases does not tell who has it open.
    [[nodiscard]] Result<bool> withdraw();

private:
    TemporaryFile(std::filesystem::path path, FileDescriptor file)
        : path_(std::move(path)), file_(std::move(file)) {}

    std::filesystem::path path_;
    FileDescriptor file_;
};

}  // namespace merpati::media
