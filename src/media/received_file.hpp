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
#include "base/file_descriptor.hpp"

namespace merpati::media {

/// Operation: made empty; somebody else writes to its path, until `close` takes that away. It is
/// read by the descriptor of the file that was made, whatever stands at the path by then: who
/// writes can put no other file in its place. Removed with the object.
///
/// Threads: one at a time.
class ReceivedFile {
public:
    /// Whatever the mask of modes. Errors: io_failed (also if `path` exists).
    [[nodiscard]] static Result<std::shared_ptr<ReceivedFile>> create(std::filesystem::path path,
                                                                      mode_t mode);

    ~ReceivedFile() { close(); }
    ReceivedFile(const ReceivedFile&) = delete;
    ReceivedFile& operator=(const ReceivedFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    /// Removes its name: nobody finds it any more.
    void close();

    /// Errors: io_failed.
    [[nodiscard]] Result<std::uint64_t> size() const;
    /// Less at the file's end alone. Errors: io_failed.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t bytes) const;

    /// Is let go of with the file: the bytes that it takes, a place.
    void carry(std::shared_ptr<void> what) { carried_.push_back(std::move(what)); }

private:
    ReceivedFile(std::filesystem::path path, FileDescriptor file)
        : path_(std::move(path)), file_(std::move(file)) {}

    std::filesystem::path path_;  // Empty: closed.
    const FileDescriptor file_;
    std::vector<std::shared_ptr<void>> carried_;
};
using ReceivedFilePtr = std::shared_ptr<ReceivedFile>;

/// Errors: busy (others have the room that media may take), io_failed, shutting_down.
using FileMade = std::move_only_function<void(Result<ReceivedFilePtr>)>;

}  // namespace merpati::media
