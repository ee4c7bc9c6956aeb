// Media files that were fetched and judged, and where the scheduler gets them.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::media {

/// What a connector gets. The file stays on disk as long as anyone holds its FilePtr.
struct File {
    std::filesystem::path path;
    std::string media_type;  // Of the interface's list, in lower case: sent to the platform.
    std::uint64_t bytes = 0;
    std::string sha256;  // Of the content; 64 hexadecimal digits, in lower case.
};
using FilePtr = std::shared_ptr<const File>;

/// The file, or what becomes of its message: `failed` with 1003 (its type) or 500 (it cannot be
/// had), with `details` for the caller; `retry` only when the source is closed, or when far too
/// many wait for it.
using FetchResult = std::expected<FilePtr, model::Outcome>;
using FetchDone = std::move_only_function<void(FetchResult)>;

/// Implemented by MediaFetcher, and by the scheduler's tests.
class FileSource {
public:
    virtual ~FileSource() = default;

    /// Calls `done` once, from any thread, also from within `fetch`. Does not block. `message` must
    /// stay valid only during the call.
    virtual void fetch(const model::Message& message, FetchDone done) = 0;
};

}  // namespace merpati::media
