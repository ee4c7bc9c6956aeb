// Where the scheduler gets the file of a media message.
#pragma once

#include <expected>
#include <functional>

#include "media/file.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::media {

/// The file, or what becomes of its message: `failed` with 1003 (its type) or 500 (it cannot be
/// had), with `details` for the caller; `retry` only when the source is closed, or when far too
/// many wait for it.
using FetchResult = std::expected<FilePtr, model::Outcome>;
using FetchDone = std::move_only_function<void(FetchResult)>;

/// Implemented by the library, and by the scheduler's tests.
class FileSource {
public:
    virtual ~FileSource() = default;

    /// Calls `done` once, from any thread, also from within `fetch`. Does not block. `message` must
    /// stay valid only during the call.
    virtual void fetch(const model::Message& message, FetchDone done) = 0;
};

}  // namespace merpati::media
