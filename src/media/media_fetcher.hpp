// Fetches media files: the first bytes when a message is accepted, the whole when it is sent.
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

/// The result of a probe; api::judge maps it to the API's answer.
enum class ProbeVerdict : std::uint8_t {
    acceptable,
    /// Not resolved, not reached, address not public, too many redirects, 5xx, too slow, put off
    /// after a crash, or no slot. The message is accepted, and judged when its file is fetched.
    undecided,
    declared_type_refused,  // The Content-Type is not in the revision's list.
    content_type_refused,   // The first bytes do not allow any type of the list (verdict.hpp).
    too_large,              // More than ProbeOptions::bytes_max.
    inaccessible,           // 4xx, except 416.
};
using ProbeDone = std::move_only_function<void(ProbeVerdict)>;

struct ProbeOptions {
    std::uint64_t bytes_max = 64UL * 1024 * 1024;  // media.max_bytes
    std::chrono::milliseconds patience{5'000};     // From the call to the verdict.
    std::chrono::milliseconds slot_wait{1'000};    // The longest wait for a slot within it.
    HostLimits limits{};                           // Of probes in flight and waiting.
    std::chrono::seconds kept_for{60};             // How long later messages use a result.
    std::chrono::seconds inaccessible_for{5};      // The same for a 4xx, which may be mended soon.
    std::size_t kept_max = 4'096;                  // Results in memory.
};

struct CacheOptions {
    std::filesystem::path folder;                    // media.folder
    bool group_reads = false;                        // See CacheStorageOptions.
    std::uint64_t bytes_max = 64UL * 1024 * 1024;    // media.max_bytes
    std::uint64_t kept_bytes_max = 1 << 30;          // media.kept_bytes_max
    std::chrono::seconds kept_for{3'600};            // media.kept_for, after its last message.
    std::chrono::seconds fresh_for{600};             // If the host's headers give no lifetime.
    std::chrono::seconds failure_kept_for{5};        // How long later messages use a failure.
    std::chrono::milliseconds patience{12'000};      // The last try begins before its end.
    std::chrono::milliseconds first_byte{5'000};     // A try's wait for the answer's first byte.
    std::chrono::milliseconds transfer{300'000};     // The longest try.
    std::uint32_t rate_min = 4 * 1024;               // Bytes a second; a slower host has stalled.
    std::chrono::milliseconds disk_back_off{5'000};  // After a file could not be written.
    HostLimits limits{.total_max = 512,              // Of downloads in flight and waiting.
                      .per_host_max = 16,
                      .unproven_max = 128,
                      .account_unproven_max = 8,
                      .unhealthy_max = 64,
                      .account_unhealthy_max = 4,
                      .waiting_max = 65'536};
    std::size_t urls_max = 16'384;  // Remembered URLs, and stored files.
    /// Called when a file cannot be written, at most once a minute; for the operator's log.
    std::function<void()> on_disk_trouble;
};

struct FetcherOptions {
    ProbeOptions probes;
    CacheOptions cache;
    std::string under_way_file;  // The file of SuspectHosts; empty: none.
    /// Called at the start if that file cannot be used; for the operator's log.
    std::function<void(const Error&)> on_file_error{};
};

struct ProbeCounts {
    std::uint64_t probes_total = 0;     // Begun, whatever their result.
    std::uint64_t shared_total = 0;     // Calls answered by another call's probe.
    std::uint64_t undecided_total = 0;  // Of probes_total.
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
    std::uint64_t waiting = 0;  // Fetches that wait for a slot, for bytes, or in back-off.
    std::uint64_t kept_files = 0;
    std::uint64_t kept_bytes = 0;  // Of stored files, and reserved ones.
};

/// Operation: `probe` checks a URL (see Prober), `fetch` gets its file (see MediaCache). Both
/// follow at most 3 redirects (see RedirectFollower). `make_file` makes a file into which a
/// connector writes received media, within the same limit on bytes.
///
/// Fairness: accounts share only slots and bytes, through HostLimiter and ByteBudget. Each account
/// has its own requests, remembered URLs and standings of hosts. Probes and downloads have separate
/// limits.
///
/// After a crash, hosts that had requests in flight are put off (SuspectHosts): probes of them are
/// undecided, and downloads wait.
///
/// Threads: one of its own, which also writes the files and calls every `done`. `probe`, `fetch`,
/// `make_file` and the counts from any thread; `start` and `stop` by the owner.
///
/// Limits: FetcherOptions. Memory: a probe holds up to 64 KiB of a file, each request a head and a
/// buffer of 16 KiB each, each remembered URL some hundred bytes.
class MediaFetcher final : public FileSource {
public:
    MediaFetcher(const Clock& clock, const outbound::AddressPolicy& policy,
                 outbound::ClientOptions client, FetcherOptions options);
    ~MediaFetcher() override;

    /// Makes, locks and empties the folder, and starts the thread. Errors: io_failed (folder, CA
    /// file, libmagic's database), conflict (another server uses the folder).
    [[nodiscard]] Result<void> start();

    /// Ends all probes as undecided and all fetches as `retry`, also those that are asked for
    /// later, and ends the thread. Held files stay. Idempotent.
    void stop();

    /// Does not block. `url` must have been admitted by outbound::admit_url. Calls `done` once,
    /// within the patience; after `stop`, on the caller's thread before it returns.
    void probe(model::AccountId account, std::string url, model::Revision revision, ProbeDone done);

    void fetch(const model::Message& message, FetchDone done) override;

    /// Makes an empty file for a connector to write. `bytes_max` bytes count under
    /// `kept_bytes_max`, in the account's share, until the file is released. Does not block. Calls
    /// `done` once, at once after `stop`. Errors: those of FileMade.
    void make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done);

    [[nodiscard]] ProbeCounts probe_counts() const;
    [[nodiscard]] CacheCounts cache_counts() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::media
