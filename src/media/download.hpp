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

/// A file that came, and what is known of it.
struct Download {
    DeclaredType declared;
    SniffedType content;
    ContentPtr file;     // Null: of a declared type that is in no list.
    Millis lifetime{0};  // For so long it serves later messages.
};

/// Why there is no file.
struct Trouble {
    enum class Kind : std::uint8_t {
        lasting,  // Another attempt is of no use.
        passing,
        disk,       // It cannot be written.
        no_budget,  // `reserve` refused.
    };
    Kind kind = Kind::lasting;
    std::string_view details{};  // One of file_source.hpp's, where the message fails with it.
};

struct DownloadResult {
    std::expected<Download, Trouble> outcome;
    /// The head of the answer; empty where it did not come whole.
    std::optional<Millis> answered_in{};
};

struct DownloadRequest {
    outbound::Url url;
    std::chrono::milliseconds first_byte;  // How long an answer may take to begin.
    /// Called with the bytes of the file before the first one is written: its Content-Length, or
    /// the most that a file may have.
    std::function<bool(std::uint64_t bytes)> reserve;
    std::function<void(Millis after)> on_answer;  // Its head is in, and the file begins.
};
using DownloadDone = std::function<void(DownloadResult)>;

/// Downloads a file into `storage`. Calls `done` once. All but `request` must outlive the attempt.
void download(const RequestTools& tools, CacheStorage& storage, const CacheOptions& options,
              DownloadRequest request, DownloadDone done);

}  // namespace merpati::media
