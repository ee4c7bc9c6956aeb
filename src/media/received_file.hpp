// The media file of a received message: a connector writes it, the gateway reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/error.hpp"
#include "media/temporary_file.hpp"

namespace merpati::media {

/// Operation: the file is created empty. Another process writes to its path, until `accept` or
/// `discard` removes the path. The gateway reads through the descriptor that created the file, so
/// the writer cannot replace the file, and bytes appended after `accept` are not read. The
/// destructor removes the file.
///
/// Threads: one at a time.
class ReceivedFile {
public:
    /// `mode` is not reduced by the umask. Errors: io_failed (also if `path` exists).
    [[nodiscard]] static Result<std::shared_ptr<ReceivedFile>> create(std::filesystem::path path,
                                                                      mode_t mode);

    ReceivedFile(const ReceivedFile&) = delete;
    ReceivedFile& operator=(const ReceivedFile&) = delete;

    /// Empty once accepted or discarded.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }

    /// Call when the file is written. Removes its path and checks its size. On an error the file is
    /// discarded. Errors: conflict (the size is not `bytes`, or another process has the file open
    /// or has another link to it), io_failed.
    [[nodiscard]] Result<void> accept(std::uint64_t bytes);
    /// Removes the path and the content. Errors: conflict (another process has the file open or has
    /// another link to it, and may fill it again), io_failed.
    [[nodiscard]] Result<void> discard();

    /// The accepted size; 0 before.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Returns fewer bytes only at the end of the accepted content. Errors: io_failed.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t bytes) const;

    /// Keeps `what` until the file is destroyed: its reserved bytes, a slot.
    void carry(std::shared_ptr<void> what) { carried_.push_back(std::move(what)); }

private:
    explicit ReceivedFile(TemporaryFile file) : file_(std::move(file)) {}

    TemporaryFile file_;
    std::uint64_t bytes_ = 0;
    std::vector<std::shared_ptr<void>> carried_;
};
using ReceivedFilePtr = std::shared_ptr<ReceivedFile>;

/// Errors: busy (no room for media now), io_failed, shutting_down.
using FileMade = std::move_only_function<void(Result<ReceivedFilePtr>)>;

}  // namespace merpati::media
