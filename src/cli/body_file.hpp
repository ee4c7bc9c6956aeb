// A file, or standard input, as the body of an upload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::cli {

/// Operation: `next` is a http::BodyGiver. `given` and `size` tell how far it is.
///
/// Threads: one.
///
/// Limits: piece_max; the file may have any size.
class BodyFile {
public:
    static constexpr std::size_t piece_max = 64UL * 1024;

    /// "-": standard input. Errors: not_found, io_failed.
    [[nodiscard]] static Result<BodyFile> open(const std::string& path);

    /// The next piece; empty at the end. Waits for whoever writes to standard input. Errors:
    /// io_failed.
    [[nodiscard]] Result<std::string> next();

    /// The bytes that `next` has given.
    [[nodiscard]] std::uint64_t given() const noexcept { return given_; }

    /// Empty: not known before the end, as of a pipe.
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

private:
    BodyFile(FileDescriptor file, std::string name);

    FileDescriptor file_;
    std::string name_;
    std::optional<std::uint64_t> size_;
    std::uint64_t given_ = 0;
};

}  // namespace merpati::cli
