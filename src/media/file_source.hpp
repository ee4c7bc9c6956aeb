// The interface through which the scheduler gets media files, fetched and checked.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::media {

/// A file for a connector to send. It stays on disk while a FilePtr to it exists.
struct File {
    std::filesystem::path path;
    std::string media_type;  // Sent to the platform: a type of the list, in lower case.
    std::uint64_t bytes = 0;
    std::string sha256;  // Of the content; 64 hexadecimal digits, in lower case.
};
using FilePtr = std::shared_ptr<const File>;

/// The file, or the outcome of its message: `failed` with 1003 (its type is refused) or 500 (it
/// cannot be fetched), with `details` for the caller; `retry` if the source is closed, or too many
/// fetches of its account wait.
using FetchResult = std::expected<FilePtr, model::Outcome>;
using FetchDone = std::move_only_function<void(FetchResult)>;

/// Implemented by MediaFetcher, and by the scheduler's tests.
class FileSource {
public:
    virtual ~FileSource() = default;

    /// Calls `done` once, on any thread, possibly before it returns. Does not block. `message` need
    /// not be valid after the call.
    virtual void fetch(const model::Message& message, FetchDone done) = 0;
};

}  // namespace merpati::media
