// A file that a connector writes and the gateway reads: the media of a received message.
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

/// Operation: made empty; somebody else writes to its path until `accept` or `discard` takes that
/// away. It is read by the descriptor of the file that was made, whatever stands at the path by
/// then: who writes can put no other file in its place, and nothing that he adds once it is
/// accepted is read. Removed with the object.
///
/// Threads: one at a time.
class ReceivedFile {
public:
    /// Whatever the mask of modes. Errors: io_failed (also if `path` exists).
    [[nodiscard]] static Result<std::shared_ptr<ReceivedFile>> create(std::filesystem::path path,
                                                                      mode_t mode);

    ReceivedFile(const ReceivedFile&) = delete;
    ReceivedFile& operator=(const ReceivedFile&) = delete;

    /// Empty: accepted, or discarded.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }

    /// It is written: nobody finds it any more. Errors: conflict (it has not so many bytes, or
    /// somebody keeps it open or by another name), io_failed; it is discarded then.
    [[nodiscard]] Result<void> accept(std::uint64_t bytes);
    /// Nobody finds it any more, and it is empty. Errors: conflict (somebody keeps it and may fill
    /// it again), io_failed.
    [[nodiscard]] Result<void> discard();

    /// What was accepted.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Less at the end of what was accepted alone. Errors: io_failed.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t bytes) const;

    /// Is let go of with the file: the bytes that it takes, a place.
    void carry(std::shared_ptr<void> what) { carried_.push_back(std::move(what)); }

private:
    explicit ReceivedFile(TemporaryFile file) : file_(std::move(file)) {}

    TemporaryFile file_;
    std::uint64_t bytes_ = 0;
    std::vector<std::shared_ptr<void>> carried_;
};
using ReceivedFilePtr = std::shared_ptr<ReceivedFile>;

/// Errors: busy (others have the room that media may take), io_failed, shutting_down.
using FileMade = std::move_only_function<void(Result<ReceivedFilePtr>)>;

}  // namespace merpati::media
