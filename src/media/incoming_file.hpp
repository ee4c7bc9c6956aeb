// A file on its way in: written, counted and hashed, a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace merpati::media {

/// Its file is removed with the object, unless `move_to` moved it. Nothing is flushed to the disk:
/// after a crash the folder is emptied anyway.
class IncomingFile {
public:
    /// Errors: io_failed (also if `path` exists).
    [[nodiscard]] static Result<IncomingFile> create(std::filesystem::path path);

    ~IncomingFile();
    IncomingFile(IncomingFile&& other) noexcept;
    IncomingFile& operator=(IncomingFile&&) = delete;

    /// Errors: io_failed (disk full, quota).
    [[nodiscard]] Result<void> put(std::span<const std::byte> bytes);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    /// The beginning, read back from the file. Errors: io_failed.
    [[nodiscard]] Result<std::vector<std::byte>> head(std::size_t bytes_max) const;

    /// Of the whole content, in lower-case hexadecimal. Call once.
    [[nodiscard]] std::string sha256();

    /// Errors: io_failed.
    [[nodiscard]] Result<void> move_to(const std::filesystem::path& path);

private:
    IncomingFile(std::filesystem::path path, int descriptor)
        : path_(std::move(path)), descriptor_(descriptor) {}

    std::filesystem::path path_;  // Empty: moved.
    int descriptor_ = -1;
    std::uint64_t bytes_ = 0;
    Sha256Stream digest_;
};

}  // namespace merpati::media
