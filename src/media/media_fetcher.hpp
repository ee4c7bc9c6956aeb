// Fetches media files: their beginning when a message is accepted, all of them when it is sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "media/file_source.hpp"
#include "media/host_limiter.hpp"
#include "media/received_file.hpp"
#include "model/account.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

/// What decisions.md ("Media") answers with: 415, 413 or B 400, 400, or acceptance.
enum class ProbeVerdict : std::uint8_t {
    acceptable,
    /// Not resolved, not reached, address not public, too many redirects, 5xx, too slow, put off
    /// after a crash, or no slot: the message is accepted, and judged when its file is fetched.
    undecided,
    declared_type_refused,  // The Content-Type is not in the revision's list.
    content_type_refused,   // The first bytes are certainly of a type that is not.
    too_large,
    inaccessible,  // 4xx.
};
using ProbeDone = std::move_only_function<void(ProbeVerdict)>;

struct ProbeOptions {
    std::uint64_t bytes_max = 64UL * 1024 * 1024;  // media.max_bytes
    std::chrono::milliseconds patience{5'000};     // From the call to the verdict,
    std::chrono::milliseconds slot_wait{1'000};    // of which so much waiting for a slot.
    HostLimits limits{};                           // Of probes in flight and waiting.
    std::chrono::seconds kept_for{60};             // How long a result serves the next messages;
    std::chrono::seconds inaccessible_for{5};      // that of a 4xx, which its owner may be mending.
    std::size_t kept_max = 4'096;                  // Results in memory.
};

struct CacheOptions {
    std::filesystem::path folder;                    // media.folder
    bool group_reads = false;                        // CacheStorageOptions
    std::uint64_t bytes_max = 64UL * 1024 * 1024;    // media.max_bytes
    std::uint64_t kept_bytes_max = 1 << 30;          // media.kept_bytes_max
    std::chrono::seconds kept_for{3'600};            // media.kept_for, after its last message.
    std::chrono::seconds fresh_for{600};             // Where the host says nothing of it.
    std::chrono::seconds failure_kept_for{5};        // A dead URL's messages do not each try.
    std::chrono::milliseconds patience{12'000};      // No try begins later after the first.
    std::chrono::milliseconds first_byte{5'000};     // A try's wait for the answer's first byte.
    std::chrono::milliseconds transfer{300'000};     // A try in all.
    std::uint32_t rate_min = 4 * 1024;               // Bytes a second; a slower host has stalled.
    std::chrono::milliseconds disk_back_off{5'000};  // Before a file is written again.
    HostLimits limits{.total_max = 512,              // Of downloads in flight and waiting.
                      .per_host_max = 16,
                      .unproven_max = 128,
                      .account_unproven_max = 8,
                      .unhealthy_max = 64,
                      .account_unhealthy_max = 4,
                      .waiting_max = 65'536};
    std::size_t urls_max = 16'384;  // That are remembered.
    /// Called when a file cannot be written, at most once a minute; for the operator's log.
    std::function<void()> on_disk_trouble;
};

struct FetcherOptions {
    ProbeOptions probes;
    CacheOptions cache;
    std::string under_way_file;  // Names hosts with requests in flight; empty: none.
};

struct ProbeCounts {
    std::uint64_t probes_total = 0;     // Made, whatever came of them.
    std::uint64_t shared_total = 0;     // Asked for, and answered by another's probe.
    std::uint64_t undecided_total = 0;  // Of those made.
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;
};

struct CacheCounts {
    std::uint64_t fetched_total = 0;  // Files fetched whole.
    std::uint64_t fetched_bytes_total = 0;
    std::uint64_t failed_total = 0;   // Fetches that ended without a file.
    std::uint64_t refused_total = 0;  // Messages whose file was not of an allowed type.
    std::uint64_t shared_total = 0;   // Messages served without a fetch of their own.
    std::uint64_t removed_total = 0;  // Files, by age or for room.
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;  // URLs, for a slot, for bytes, or for their next try.
    std::uint64_t kept_files = 0;
    std::uint64_t kept_bytes = 0;  // Of them, and reserved for those in flight.
};

/// Operation: `probe` looks at a URL (see Prober), `fetch` brings its file (see MediaCache). Both
/// follow at most 3 redirects, each judged anew, none from https to http.
///
/// Fairness: accounts share nothing but slots and bytes, which HostLimiter and ByteBudget give out;
/// each has its own requests, remembered URLs and opinions of hosts. Probes and downloads have
/// limits of their own.
///
/// `make_file` gives connectors a file to write what a device received, within the same room.
///
/// Order: after a crash, hosts with requests in flight when the process died come last
/// (SuspectHosts): probes of them are undecided, and downloads wait.
///
/// Threads: one of its own, which also writes the files and calls every `done`. Public methods from
/// any thread. Memory: at most 64 KiB a request, and some hundred bytes a remembered URL.
class MediaFetcher final : public FileSource {
public:
    MediaFetcher(const Clock& clock, const outbound::AddressPolicy& policy,
                 outbound::ClientOptions client, FetcherOptions options);
    ~MediaFetcher() override;

    /// Makes the folder, takes it for itself, empties it, starts the thread. Errors: io_failed
    /// (folder, CA file, libmagic's database), conflict (another server uses the folder).
    [[nodiscard]] Result<void> start();

    /// Ends all probes as undecided and all fetches as `retry`, those that are asked for later too,
    /// and ends the thread. Files that are held stay.
    void stop();

    /// Does not block. `url` was admitted by outbound::admit_url. Calls `done` once, within the
    /// patience; after `stop`, on the caller's thread.
    void probe(model::AccountId account, std::string url, model::Revision revision, ProbeDone done);

    void fetch(const model::Message& message, FetchDone done) override;

    /// An empty file for a connector to write, of at most so many bytes; they count under
    /// `kept_bytes_max`, in the account's share, until it is let go of. Does not block; `done` as
    /// that of `probe`.
    void make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done);

    [[nodiscard]] ProbeCounts probe_counts() const;
    [[nodiscard]] CacheCounts cache_counts() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::media
