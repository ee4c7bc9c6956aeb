// One attempt to download a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "media/cache_storage.hpp"
#include "media/media_fetcher.hpp"
#include "media/media_types.hpp"
#include "media/request_tools.hpp"

namespace merpati::media {

/// A downloaded file and its types.
struct Download {
    DeclaredType declared;
    SniffedType content;
    ContentPtr file;     // Null: its declared type is not in the list, so it was not downloaded.
    Millis lifetime{0};  // How long later messages may use it.
};

/// Why there is no file.
struct Trouble {
    enum class Kind : std::uint8_t {
        lasting,    // Another attempt would fail, too.
        passing,    // Another attempt may succeed.
        disk,       // The file cannot be written.
        no_budget,  // `reserve` refused.
    };
    Kind kind = Kind::lasting;
    std::string_view details{};  // From file_source.hpp, if lasting or passing.
};

struct DownloadResult {
    std::expected<Download, Trouble> outcome;
    /// How long the host took to send the head of the answer; empty if the request failed.
    std::optional<Millis> answered_in{};
};

struct DownloadRequest {
    outbound::Url url;
    std::chrono::milliseconds first_byte;  // The longest wait for the first byte of the answer.
    /// Called with the file's size before its first byte is written: its Content-Length, or
    /// CacheOptions::bytes_max if the host does not send one. False ends the attempt.
    std::function<bool(std::uint64_t bytes)> reserve;
    /// Called when the head of the answer has arrived and the file is about to be written.
    std::function<void(Millis after)> on_answer;
};
using DownloadDone = std::function<void(DownloadResult)>;

/// Downloads a file into `storage`. Calls `done` once. `storage`, `options` and the objects that
/// `tools` refers to must outlive the attempt.
void download(const RequestTools& tools, CacheStorage& storage, const CacheOptions& options,
              DownloadRequest request, DownloadDone done);

}  // namespace merpati::media
