// Media files that were fetched and judged, and where the scheduler gets them.
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

/// What callers read in a callback's `details` when a media file is to blame. No addresses: a
/// file's host may be in a private network, and nothing of that is shown to the message's sender.
namespace merpati::media::details {

inline constexpr std::string_view type_refused = "Jenis file tidak didukung";
inline constexpr std::string_view too_large = "Ukuran file melebihi batas maksimum";
inline constexpr std::string_view inaccessible = "Url media tidak dapat diakses";
inline constexpr std::string_view no_answer = "Server media tidak menjawab";
inline constexpr std::string_view busy = "Server media sedang sibuk";
inline constexpr std::string_view closing = "Server sedang berhenti";

}  // namespace merpati::media::details
