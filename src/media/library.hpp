// The files of media messages: fetched when their message is to be sent, kept for the next one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "media/file_source.hpp"
#include "media/host_limiter.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

struct LibraryOptions {
    std::filesystem::path folder;                  // media.folder
    std::string under_way_file;                    // Names hosts that are asked; empty: none.
    std::uint64_t bytes_max = 64UL * 1024 * 1024;  // media.max_bytes
    std::uint64_t kept_bytes_max = 1 << 30;        // media.kept_bytes_max
    std::chrono::seconds kept_for{3'600};          // media.kept_for, after its last message.
    std::chrono::seconds fresh_for{600};           // Where the host says nothing of it.
    std::chrono::seconds failure_kept_for{5};      // A dead URL's messages do not each try.
    std::chrono::milliseconds patience{12'000};    // No try begins later after the first.
    std::chrono::milliseconds first_byte{5'000};   // A try's wait for the answer's first byte.
    std::chrono::milliseconds transfer{300'000};   // A try in all.
    std::uint32_t rate_min = 4 * 1024;             // Bytes a second; a slower host has stalled.
    std::chrono::milliseconds disk_rest{5'000};    // Before a file is written again.
    HostLimits limits{.total_max = 512,            // Of fetches under way and waiting.
                      .per_host_max = 16,
                      .unproven_max = 128,
                      .account_unproven_max = 8,
                      .unhealthy_max = 64,
                      .account_unhealthy_max = 4,
                      .waiting_max = 65'536};
    std::size_t known_max = 16'384;  // URLs that are remembered.
    /// Told when a file cannot be written, at most once a minute; for the operator's log.
    std::function<void()> on_disk_trouble;
};

struct LibraryCounts {
    std::uint64_t fetched_total = 0;  // Files fetched whole.
    std::uint64_t fetched_bytes_total = 0;
    std::uint64_t failed_total = 0;       // Fetches that ended without a file.
    std::uint64_t refused_total = 0;      // Messages whose file was not of an allowed type.
    std::uint64_t shared_total = 0;       // Messages served without a fetch of their own.
    std::uint64_t revalidated_total = 0;  // 304: what we had was still right.
    std::uint64_t removed_total = 0;      // Files, by age or for room.
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;  // URLs, for a slot, for bytes, or for their next try.
    std::uint64_t kept_files = 0;
    std::uint64_t kept_bytes = 0;  // Of them, and reserved for those under way.
};

/// Operation: the first message of a URL has its file fetched: streamed into the folder, capped and
/// hashed on the way, judged by its first 64 KiB, kept under the name of its SHA-256. Messages that
/// come meanwhile, and while it is fresh (Cache-Control, Expires, else ten minutes), share it;
/// later ones ask the host with its ETag or Last-Modified whether it changed. Passing troubles (not
/// reached, 5xx, 429, stalled) are tried again after 1, 2 and 4 s as long as the patience lasts; a
/// file that cannot be written, as long as that lasts. At most 3 redirects, each judged anew; none
/// from https to http.
///
/// Fairness: accounts share nothing but slots and bytes, which HostLimiter and ByteBudget give out;
/// each has its own fetches, remembered URLs and standings of hosts.
///
/// Order: after a crash, hosts that were asked when the process died come last (SuspectHosts).
///
/// Room: files that are kept, held, and being written take no more than `kept_bytes_max` together.
/// Bytes are reserved before a file is written: its Content-Length, or `bytes_max` where the host
/// does not say. Files go by age, and the longest unused first for room; never one that somebody
/// holds. Where those leave no room a fetch waits, its connection closed. The folder belongs to one
/// library; what an earlier one left is removed by `start`.
///
/// Threads: one of its own, which also writes the files. Public methods from any thread. Memory: at
/// most 64 KiB a transfer, and some hundred bytes a remembered URL.
class Library final : public FileSource {
public:
    Library(const Clock& clock, const outbound::AddressPolicy& policy,
            outbound::ClientOptions client, LibraryOptions options);
    ~Library() override;

    /// Makes the folder, takes it for itself, empties it, starts the thread. Errors: io_failed
    /// (folder, CA file, libmagic's database), conflict (another server uses the folder).
    [[nodiscard]] Result<void> start();

    /// Answers all that wait with `retry` and ends the thread. Files that are held stay.
    void stop();

    void fetch(const model::Message& message, FetchDone done) override;

    [[nodiscard]] LibraryCounts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::media
